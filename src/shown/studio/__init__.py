"""Studio: teach by showing, in the browser. `shown studio` opens it; `docs/studio.md` says how it is built.

project.py     the project: everything saved as it happens
ways.py        how games are to be learned; saved.py is what was learned, as it is kept
folder.py      its folder, held open: no link is followed, no file half-written
teach.py       what a lesson is: recordings and the game in play; pure functions from lesson to lesson
remarks.py     what a teacher says of the rule: what stays, what was an accident
research.py    scores on levels that are held out, and the session as data
forms.py       how lessons look on disk and in requests, and what is accepted
places.py      where lessons begin: the levels of a game, or the seeds of a world
catalogue.py   what can be taught here: games, those of other packages too, and worlds
apart.py       a world in a process of its own
stage.py       a world in which a game is watched: Fence In in Minecraft
desk.py        one game in an open project
session.py     the open project: desks, learning, playing, news
helpers.py     the two child processes that learn and play, seen from the server
worker.py      the same, seen from the inside; tasks.py is what they can do
guard.py       who may ask: Host, Origin, token, sizes, headers
connections.py how long a connection may keep the studio waiting, and how many may
app.py         the routes; commands.py is what they can ask for, downloads.py what can be taken home
server.py      starting and stopping
static/        the page: plain ES modules, SVG and CSS
"""
