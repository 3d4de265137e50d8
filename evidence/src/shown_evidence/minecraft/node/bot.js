// The bot: has levels built, goes where it is told, puts down fences, and says what it sees.
//
// It is talked to in lines of JSON, one order a line on stdin, one answer a line on stdout:
//   {"build": ["..#", …]}   have this level built
//   {"click": [2, 5]}       put a fence there, if it is open ground
// and answers {"rows": […], "joined": true}: the level as the bot sees it then, and whether each fence reaches for those
// beside it; or {"error": "…"}. The first line, {"ready": PORT}, comes by itself. The end of stdin is the end of
// everything: nothing is left running.
"use strict";

const { fork } = require("child_process");
const { once } = require("events");
const path = require("path");
const { createInterface } = require("readline");

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr); // what libraries print is no answer

const mineflayer = require("mineflayer");
const { Vec3 } = require("vec3");

const VERSION = "1.16.5";
const ORIGIN = new Vec3(0, 5, 0); // row 0, column 0, on the grass; columns run east, rows south
const BESIDE = new Vec3(0.5, 2, 1.5); // from a cell: in reach of it, and not in its way
const TOKENS = { air: ".", oak_fence: "#" };
const SIDES = { north: [-1, 0], south: [1, 0], west: [0, -1], east: [0, 1] };
const PATIENCE = 15000; // milliseconds, as all times here
const MOMENT = 200;

const server = fork(path.join(__dirname, "server.js"), [process.argv[2], VERSION, ...ORIGIN.toArray()].map(String), {
  stdio: ["ignore", "ignore", "inherit", "ipc"],
});
let bot = null;
let size = [0, 0]; // rows and columns of the level
let dying = false;

server.on("message", hear);
server.on("exit", () => die({ message: "the server has stopped" }));
process.on("uncaughtException", die);
process.on("unhandledRejection", die);

let last = once(server, "entered").then(([port]) => answer({ ready: port }));
const orders = createInterface({ input: process.stdin });
orders.on("line", (line) => {
  last = last.then(() => obey(JSON.parse(line))).then(answer, (error) => answer({ error: error.message }));
});
orders.on("close", leave);

function answer(value) {
  write(JSON.stringify(value) + "\n");
}

function die({ message, code }) {
  if (!dying) answer({ error: message, code });
  dying = true;
  server.kill();
  setTimeout(() => process.exit(1), MOMENT); // by then the answer is out
}

function leave() {
  server.kill();
  process.exit(0);
}

/** The server speaks: it is ready, it has built a level, or it cannot go on. */
function hear(news) {
  if (news.failed) die({ message: news.failed, code: news.code });
  else if (news.port) enter(news.port);
  else server.emit("built");
}

function enter(port) {
  bot = mineflayer.createBot({ host: "127.0.0.1", port, username: "shown", version: VERSION, auth: "offline" });
  bot.on("error", (error) => setTimeout(die, MOMENT, error)); // the server may know better why
  bot.on("end", (reason) => setTimeout(die, MOMENT, { message: `the bot was disconnected (${reason})` }));
  bot.once("spawn", async () => {
    const Item = require("prismarine-item")(bot.registry);
    await bot.creative.setInventorySlot(36, new Item(bot.registry.itemsByName.oak_fence.id, 64), 0);
    server.emit("entered", port);
  });
}

async function obey({ build: rows, click }) {
  if (rows) await build(rows);
  else await place(click);
  await until(joined); // what the server does arrives here a little later: to the fences beside a new one, too
  return { rows: look(), joined: joined() };
}

async function build(rows) {
  size = [rows.length, rows[0].length];
  server.send(rows);
  await once(server, "built");
  await until(() => look().join() === rows.join());
}

/** Flies to a cell and puts a fence there. */
async function place([r, c]) {
  const at = ORIGIN.offset(c, 0, r);
  await bot.creative.flyTo(at.plus(BESIDE));
  if (look()[r][c] === ".") {
    const options = { swingArm: "right", forceLook: true };
    await bot._placeBlockWithOptions(bot.blockAt(at.offset(0, -1, 0)), new Vec3(0, 1, 0), options);
  } else {
    await bot.lookAt(at.offset(0.5, 0.5, 0.5), true); // nothing can be put there; the server would not even say so
    bot.swingArm("right");
  }
}

/** The rows of the level, from the blocks and animals that the bot knows of; "?" is what it does not know. */
function look() {
  const [height, width] = size;
  const cells = Array.from({ length: height }, (_, r) =>
    Array.from({ length: width }, (_, c) => TOKENS[bot.blockAt(ORIGIN.offset(c, 0, r))?.name] ?? "?"),
  );
  for (const animal of Object.values(bot.entities)) {
    const { x, z } = animal.position.minus(ORIGIN).floored();
    if (animal.name === "sheep" && cells[z]?.[x] === ".") cells[z][x] = "S";
  }
  return cells.map((row) => row.join(""));
}

/** Whether each fence reaches for the fences beside it, and for nothing else. */
function joined() {
  const rows = look();
  return rows.every((row, r) =>
    [...row].every((one, c) => {
      if (one !== "#") return true;
      const reaches = bot.blockAt(ORIGIN.offset(c, 0, r)).getProperties();
      return Object.entries(SIDES).every(([side, [dr, dc]]) => reaches[side] === (rows[r + dr]?.[c + dc] === "#"));
    }),
  );
}

/** Waits until something holds, but not for ever: what then does not hold is seen by whoever asked. */
async function until(holds) {
  for (const end = Date.now() + PATIENCE; !holds() && Date.now() < end; ) {
    await new Promise((resume) => setTimeout(resume, 5));
  }
}
