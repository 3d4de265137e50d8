// The server: a flat world for nobody but this machine. Its parent says what is to be built, and is told when it stands.
//
// It runs in a process of its own, forked by bot.js, because flying-squid reads stdin and ends whatever it runs in.
"use strict";

const { createMCServer } = require("flying-squid");
const { Vec3 } = require("vec3");

const [port, version, ...origin] = process.argv.slice(2);
const ORIGIN = new Vec3(...origin.map(Number));
const SIDES = { north: [0, -1], south: [0, 1], west: [-1, 0], east: [1, 0] };

const server = createMCServer({
  host: "127.0.0.1",
  port: Number(port),
  version,
  "online-mode": false,
  "max-players": 10,
  "max-entities": 100,
  "view-distance": 6,
  "player-list-text": { header: { text: "" }, footer: { text: "" } },
  motd: "shown: Fence In",
  gameMode: 1,
  difficulty: 0,
  kickTimeout: 60000,
  generation: { name: "superflat", options: { seed: 1 } },
  plugins: {},
  logging: false,
  noConsoleOutput: true,
  modpe: false,
  "everybody-op": false,
});
const fence = server.registry.blocksByName.oak_fence;
let stands = []; // the rows of the level that was built last
let sheep = null;

server.on("error", fail);
server._server.on("error", fail);
process.on("uncaughtException", fail);
process.on("unhandledRejection", (error) => /Timeout waiting/.test(error?.message) || fail(error)); // a slow machine
process.on("disconnect", () => process.exit(0)); // whoever wanted this world is gone
process.on("message", (rows) => build(rows).then(() => tell({ built: true }), fail));

const starting = setInterval(() => {
  if (!server.pluginsReady || !server.listeningPort) return;
  clearInterval(starting);
  server.onItemPlace("oak_fence", place, false);
  tell({ port: server.listeningPort });
}, 20);

function tell(news) {
  if (process.connected) process.send(news);
}

function fail(error) {
  if (!process.connected) process.exit(1);
  process.send({ failed: String(error?.message ?? error), code: error?.code }, () => process.exit(1));
}

/** Makes the world look like a level: fences, open ground, the sheep; nothing of the level before is left. */
async function build(rows) {
  const height = Math.max(rows.length, stands.length);
  const width = Math.max(rows[0].length, stands[0]?.length ?? 0);
  const fences = [];
  for (let r = 0; r < height; r++) {
    for (let c = 0; c < width; c++) {
      const at = ORIGIN.offset(c, 0, r);
      const token = rows[r]?.[c] ?? ".";
      if (token === "#") fences.push(at);
      if ((token === "#") !== (await isFence(at))) await set(at, token === "#" ? fence.defaultState : 0);
      if (token === "S") stand(at.offset(0.5, 0, 0.5));
    }
  }
  for (const at of fences) await set(at, await joined(at));
  stands = rows;
}

/** Puts the sheep where it belongs. Without a size it has no weight either, and stays. */
function stand(at) {
  sheep?.destroy();
  sheep = server.spawnMob(server.registry.entitiesByName.sheep.id, server.overworld, at);
  sheep.size = null;
}

/** A player puts down a fence: it reaches for those beside it, and they for it. */
async function place({ placedPosition: at }) {
  setImmediate(() => join(at).catch(fail));
  return { id: fence.id, data: (await joined(at)) - fence.minStateId };
}

async function join(at) {
  for (const [x, z] of Object.values(SIDES)) {
    const beside = at.offset(x, 0, z);
    if (await isFence(beside)) await set(beside, await joined(beside));
  }
}

/** The state of a fence that reaches for the fences beside it, which this server does not do by itself. */
async function joined(at) {
  const sides = {};
  for (const [side, [x, z]] of Object.entries(SIDES)) sides[side] = await isFence(at.offset(x, 0, z));
  return fence.minStateId + server.setBlockDataProperties(fence.defaultState - fence.minStateId, fence.states, sides);
}

async function isFence(at) {
  return (await server.overworld.getBlock(at)).name === "oak_fence";
}

async function set(at, state) {
  await server.setBlock(server.overworld, at, state);
}
