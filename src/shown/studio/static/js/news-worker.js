// One stream of news for all pages of a browser, which allows a server only six connections at a time.
//
// A page says {secret, fresh} when it opens: the secret it knows, and whether that comes from a link just opened. It is
// answered with {secret, run}: a page without a secret, or with an old one, takes the one that other pages use.

import { Stream } from "./stream.js";

const pages = new BroadcastChannel(globalThis.name);
let secret = null;
let run = null;

const stream = new Stream((event, data) => {
  if (event === "hello") run = data.run;
  if (event === "lost") run = null;
  pages.postMessage({ event, data, secret });
});

globalThis.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.fresh || !secret) secret = data.secret;
    if (secret) stream.start(secret);
    port.postMessage({ secret, run });
  };
};
