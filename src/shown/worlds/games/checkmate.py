"""Checkmate Tactic: mate the black king with queen and king."""

from __future__ import annotations

import numpy as np

from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry import Transformation, of_grid
from shown.worlds.games.game import EMPTY, Game, clicked, require, require_one
from shown.worlds.world import Outcome

BLACK_KING, WHITE_KING, WHITE_QUEEN, SELECTED_KING, SELECTED_QUEEN = "k", "K", "Q", "L", "R"
SELECT = {WHITE_KING: SELECTED_KING, WHITE_QUEEN: SELECTED_QUEEN}
RELEASE = {selected: piece for piece, selected in SELECT.items()}


class Checkmate(Game):
    """Mate the black king, which stands at the edge of the board, with the white queen and king.

    Description: a chess board of any size with three pieces. Clicking a white piece selects it; clicking an empty cell
        then moves it there, if that is a legal move of chess. After a move that does not mate, the black king makes a
        random legal move, which may be to take the queen.
    Observation: a grid; `k` black king, `K` white king, `Q` white queen, `L` selected white king, `R` selected white
        queen, `.` empty.
    Actions: a click on a cell. Illegal moves, and clicks on a piece while one is selected, change nothing.
    Rewards: 1 for checkmate, otherwise 0.
    End of episode: checkmate (won); stalemate, or the queen is taken (not won).
    Levels: generated; 5 to 20 rows and columns, the black king at any edge but not in a corner, the white king two
        cells away from that edge, and the queen where it can go between them. The training levels cover all four
        edges, each at least twice.
    """

    name = "checkmate"
    title = "Checkmate Tactic"
    goal = "Checkmate the black king. Click a white piece to select it, then the empty cell it should move to."
    tokens = Tokens(
        empty=EMPTY, black_king=BLACK_KING, white_king=WHITE_KING, white_queen=WHITE_QUEEN,
        selected_white_king=SELECTED_KING, selected_white_queen=SELECTED_QUEEN,
    )  # fmt: skip
    pieces = (("black_king",), ("white_king", "selected_white_king"), ("white_queen", "selected_white_queen"))
    max_shape = (20, 20)
    symmetries = (Transformation("left-right"), Transformation("transpose"))  # these generate all eight

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        cell = clicked(action)
        token = grid[cell]
        selected = grid.find(SELECTED_QUEEN) or grid.find(SELECTED_KING)
        if selected is None:
            return Outcome(grid.with_cells({cell: SELECT[token]}) if token in SELECT else grid)
        if token != EMPTY or not legal_move(grid, selected, cell):
            return Outcome(grid)
        grid = grid.with_cells({selected: EMPTY, cell: RELEASE[grid[selected]]})
        flights = black_moves(grid)
        if not flights:
            mate = in_check(grid)
            return Outcome(grid, won=mate, over=True)
        flight = flights[rng.integers(len(flights))]
        taken = grid[flight] == WHITE_QUEEN
        return Outcome(grid.with_cells({_one(grid, BLACK_KING): EMPTY, flight: BLACK_KING}), over=taken)

    def expert(self, grid: Grid) -> Cell:
        """Select the queen and move it between the kings."""
        queen = grid.find(WHITE_QUEEN)
        if queen is not None:
            return queen
        (r1, c1), (r2, c2) = _one(grid, BLACK_KING), _one(grid, WHITE_KING)
        return (r1 + r2) // 2, (c1 + c2) // 2

    def generate(self, rng: np.random.Generator) -> Grid:
        height, width = (int(side) for side in rng.integers(5, 21, size=2))
        column = int(rng.integers(1, width - 1))
        black, between, white = (0, column), (1, column), (2, column)
        queens = [
            (r, c)
            for r in range(height)
            for c in range(width)
            if (r, c) not in (black, between, white)
            and queen_sees((r, c), between, white)
            and not queen_sees((r, c), black, white)  # the side that is not to move is never in check
        ]
        queen = queens[rng.integers(len(queens))]
        board = Grid((EMPTY * width,) * height).with_cells({black: BLACK_KING, white: WHITE_KING, queen: WHITE_QUEEN})
        for _ in range(rng.integers(4)):
            board = of_grid(board, Transformation("clockwise"), self.tokens)
        return board

    def why_lost(self, grid: Grid) -> str:
        if grid.find(WHITE_QUEEN) is None:
            return "The black king took the queen."
        return "The black king cannot move, but it is not in check: that is stalemate."

    def check(self, grid: Grid) -> None:
        black = require_one(grid, self.tokens, "black_king")
        kings, queens = grid.where(WHITE_KING + SELECTED_KING), grid.where(WHITE_QUEEN + SELECTED_QUEEN)
        for what, cells in (("king", kings), ("queen", queens)):
            require(bool(cells), f"there is no white {what}. A level needs exactly one, selected or not.")
            require(
                len(cells) == 1,
                f"row {cells[-1][0]}, column {cells[-1][1]}: a second white {what}. A level has exactly one.",
            )
        require(
            len(grid.where(SELECTED_KING + SELECTED_QUEEN)) < 2,
            f"row {queens[0][0]}, column {queens[0][1]}: both white pieces are selected. At most one can be.",
        )
        require(
            not _touch(black, kings[0]),
            f"row {black[0]}, column {black[1]}: the black king stands next to the white king. Kings never meet.",
        )


def legal_move(grid: Grid, piece: Cell, target: Cell) -> bool:
    """Return whether the white piece may move to `target`, an empty cell."""
    black = _one(grid, BLACK_KING)
    if grid[piece] == SELECTED_KING:
        return _touch(piece, target) and not _touch(black, target)
    return queen_sees(piece, target, black) and queen_sees(piece, target, _one(grid, WHITE_KING))


def black_moves(grid: Grid) -> list[Cell]:
    """Return the legal moves of the black king, which may take the queen."""
    (r, c), white, queen = _one(grid, BLACK_KING), _one(grid, WHITE_KING), _one(grid, WHITE_QUEEN)
    around = [(r + dr, c + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]
    return [
        cell for cell in around if grid.inside(cell) and not _touch(white, cell) and not queen_sees(queen, cell, white)
    ]


def in_check(grid: Grid) -> bool:
    """Return whether the queen attacks the black king."""
    return queen_sees(_one(grid, WHITE_QUEEN), _one(grid, BLACK_KING), _one(grid, WHITE_KING))


def queen_sees(queen: Cell, target: Cell, blocker: Cell) -> bool:
    """Return whether the queen attacks `target`: they are on a line, and `blocker` is not between them."""
    down, right = target[0] - queen[0], target[1] - queen[1]
    far = max(abs(down), abs(right))
    if far == 0 or (down and right and abs(down) != abs(right)):
        return False
    block_down, block_right = blocker[0] - queen[0], blocker[1] - queen[1]
    near = max(abs(block_down), abs(block_right))
    same_way = (block_down * far, block_right * far) == (down * near, right * near)
    return not (same_way and 0 < near < far)


def _touch(a: Cell, b: Cell) -> bool:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1


def _one(grid: Grid, piece: str) -> Cell:
    """Return the cell of a piece, selected or not."""
    cell = grid.find(piece)
    if cell is None:
        cell = grid.find(SELECT[piece])
    assert cell is not None, f"a legal position has {piece!r}"
    return cell
