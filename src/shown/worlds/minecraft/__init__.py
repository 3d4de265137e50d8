"""Fence In in Minecraft: the game's levels built of blocks, and a bot that puts down fences where a player says.

parts.py     node, and what npm brings: found or installed, in a cache folder
session.py   the server and the bot, in processes of their own
world.py     the world: what the bot reads after each step must be what the rules say
node/        the scripts that run there, server.js and bot.js, and the versions of what they use
"""

from __future__ import annotations

from shown.errors import BadInput
from shown.worlds.minecraft.session import Session
from shown.worlds.minecraft.world import MinecraftWorld

NAME = "minecraft"


def find(name: str) -> MinecraftWorld:
    """The world called `minecraft`, or `minecraft:PORT` to have its server on that port. Nothing is started yet.

    >>> find("minecraft:25565").title
    'Fence In in Minecraft'
    """
    _, colon, port = name.partition(":")
    if colon and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        raise BadInput(f"{name}: after the colon comes the number of a port, such as {NAME}:25565.")
    return MinecraftWorld(Session(int(port or 0)))


__all__ = ["NAME", "MinecraftWorld", "Session", "find"]
