// The studio's stream of news, read by a page or, for all pages of a browser, by news-worker.js.

const RETRY = 1000;

/** Calls `hear(event, data)` for every message; "lost" when the connection ends. It connects again until stopped. */
export class Stream {
  #secret = null;
  #turn = 0;
  #connection = null;

  constructor(hear) {
    this.hear = hear;
  }

  /** Read with this secret. A connection with another one is closed. */
  start(secret) {
    if (secret === this.#secret) return;
    this.stop();
    this.#secret = secret;
    this.#follow(++this.#turn);
  }

  stop() {
    this.#secret = null;
    this.#turn++;
    this.#connection?.abort();
  }

  async #follow(turn) {
    let open = true;
    for (;;) {
      try {
        await this.#read(() => (open = true));
      } catch {
        // No answer, a refusal, or a broken connection: the same to the page.
      }
      if (turn !== this.#turn) return;
      if (open) this.hear("lost", {});
      open = false;
      await new Promise((done) => setTimeout(done, RETRY));
      if (turn !== this.#turn) return;
    }
  }

  async #read(onOpen) {
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    const response = await fetch("/news", { headers: { "Shown-Secret": this.#secret }, signal });
    if (!response.ok) return;
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const messages = (rest + value).split("\n\n");
      rest = messages.pop();
      for (const message of messages) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(message) ?? [];
        if (event) this.hear(event, JSON.parse(data));
      }
    }
  }
}
