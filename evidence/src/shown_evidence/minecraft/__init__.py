"""Fence In in Minecraft: levels built of blocks, and a bot that places fences where a policy clicks.

node_packages.py    Node.js and npm packages, installed in a cache folder
bot.py              the server and the bot, in child processes
minecraft_world.py  the world; the blocks after each step must agree with the rules
node/               the scripts server.js and bot.js, and the versions of their packages

Any command takes it as a world: `shown evaluate fence.json --world shown_evidence.minecraft:MinecraftWorld`.
"""

from shown_evidence.minecraft.bot import BotSession
from shown_evidence.minecraft.minecraft_world import MinecraftWorld

__all__ = ["BotSession", "MinecraftWorld"]
