// Talking to the server: commands as POST, news as one stream.

const PAGE = Math.random().toString(36).slice(2);

/** The policy that was asked about is gone: something else was learned, or unlearned, meanwhile. Nothing to worry about. */
export class Forgotten extends Error {}

/** Sends a command; gives its answer, or throws an Error with a sentence for the user. */
export async function post(name, body = {}) {
  let response;
  try {
    response = await fetch(`/api/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...body, page: PAGE }),
    });
  } catch {
    throw new Error("The studio does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({ error: "The studio gave no sensible answer." }));
  if (!response.ok) throw new Error(answer.error ?? "Something went wrong.");
  if (answer.forgotten) throw new Forgotten(answer.forgotten);
  return answer;
}

/** Listens to the news. `handlers` has a function for each kind of event, and `lost` and `found` for the connection. */
export function listen(handlers) {
  let run = null;
  const connect = () => {
    const source = new EventSource("/news");
    source.addEventListener("hello", (event) => {
      const restarted = run !== null;
      run = JSON.parse(event.data).run;
      handlers.found(restarted);
    });
    for (const name of ["learned", "taught", "live"]) {
      source.addEventListener(name, (event) => {
        const data = JSON.parse(event.data);
        if (data.page !== PAGE) handlers[name](data);
      });
    }
    source.addEventListener("error", () => {
      handlers.lost();
      // Some browsers give up when nobody answers; a studio that is started again should be found again.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, 1000);
    });
  };
  connect();
}
