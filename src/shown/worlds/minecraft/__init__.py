"""Fence In in Minecraft: levels built of blocks, and a bot that places fences where a player clicks.

parts.py            Node.js and npm packages, installed in a cache folder
bot.py              the server and the bot, in child processes
minecraft_world.py  the world; the blocks after each step must agree with the rules
node/               the scripts server.js and bot.js, and the versions of their packages
"""

from __future__ import annotations

from shown.errors import BadInput
from shown.worlds.minecraft.bot import BotSession
from shown.worlds.minecraft.minecraft_world import MinecraftWorld

NAME = "minecraft"


def find(name: str) -> MinecraftWorld:
    """Return the world `minecraft`, or `minecraft:PORT` to choose the port of its server. Nothing is started yet.

    >>> find("minecraft:25565").title
    'Fence In in Minecraft'
    """
    _, colon, port = name.partition(":")
    if colon and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        raise BadInput(f"{name}: expected a port after the colon, such as {NAME}:25565.")
    return MinecraftWorld(BotSession(int(port or 0)))


__all__ = ["NAME", "BotSession", "MinecraftWorld", "find"]
