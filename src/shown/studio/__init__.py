"""Studio: teach by showing, in the browser. `shown studio` opens it; `docs/studio.md` says how it is built.

project.py    the folder: everything saved as it happens
teach.py      what a lesson is: recordings and the game in play; pure functions from lesson to lesson
session.py    one open project: lessons, learning, watching; what the page can ask for
helpers.py    the two child processes that learn and play, seen from the server
worker.py     the same, seen from the inside
guard.py      who may ask: Host, Origin, token, sizes, headers
app.py        the routes
static/       the page: plain ES modules, SVG and CSS
"""
