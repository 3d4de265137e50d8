"""Four worlds to learn from a few demonstrations with the standard vocabulary; see `docs/guides/gallery.md`."""

from shown.worlds.gallery.connect_four import ConnectFour
from shown.worlds.gallery.minesweeper import Minesweeper
from shown.worlds.gallery.pushing import Pushing
from shown.worlds.gallery.warehouse import Warehouse

__all__ = ["ConnectFour", "Minesweeper", "Pushing", "Warehouse"]
