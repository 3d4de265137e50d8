// News of the studio: through one shared worker for all pages, or, in browsers without one, while the page is seen.

import { PAGE, getSecret, setSecret } from "./api.js";
import { Stream } from "./stream.js";

const PATIENCE = 1000;
const NAME = "shown-news";
/** The run of the server that this page has heard; null before the first. */
let run = null;

/**
 * Join the pages that share the news, and take the secret they use unless this page's is `fresh` from a link.
 * `handlers` has a function for each kind of news, and `lost` and `found(again)` for the connection.
 */
export async function listen(handlers, fresh) {
  const hear = (event, data) => {
    if (event === "lost") handlers.lost();
    else if (event === "hello") found(handlers, data.run);
    else if (data.page !== PAGE) handlers[event]?.(data);
  };
  if (!globalThis.SharedWorker) {
    listenWhileSeen(hear);
    return;
  }
  new BroadcastChannel(NAME).onmessage = ({ data }) => {
    if (data.event === "hello") setSecret(data.secret);
    hear(data.event, data.data);
  };
  const { port } = new SharedWorker("/js/news-worker.js", { type: "module", name: NAME });
  const answer = await share(port, fresh);
  if (answer?.secret) setSecret(answer.secret);
  if (answer?.run && run === null) found(handlers, answer.run);
}

/** Tell the worker this page's secret. Return its answer, or null if there is none in time. */
function share(port, fresh) {
  return new Promise((done) => {
    port.onmessage = ({ data }) => done(data);
    port.postMessage({ secret: getSecret(), fresh });
    setTimeout(() => done(null), PATIENCE);
  });
}

function found(handlers, now) {
  const again = run !== null;
  run = now;
  handlers.found(again);
}

function listenWhileSeen(hear) {
  const stream = new Stream(hear);
  const update = () => (document.hidden ? stream.stop() : stream.start(getSecret()));
  document.addEventListener("visibilitychange", update);
  update();
}
