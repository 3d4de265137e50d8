"""Studio: teach by showing, in the browser. `shown studio` opens it; `docs/guides/studio.md` describes it.

Modules, lowest layer first. Lessons and their files are in `shown.teaching.lessons`.

folder.py            a folder held open; no link is followed
project.py           the project folder: everything saved as it happens
children.py          the server's end of a child process; worker.py is the child's
tasks.py             the tasks of child processes; learning_task.py learns, policy_summary.py describes policies
isolated.py          games and worlds of other packages, in child processes
catalog.py           the games and worlds that can be taught
learning.py          the state of learning; learning_queue.py, the queue in which games are learned in turn
processes.py         the child processes
workspace.py         one game in an open project
news.py              events for the pages
session.py           the open project: workspaces, learning, playing, news
commands.py          what the page can ask for; downloads.py, what can be downloaded
guard.py             which requests are answered; connections.py, for how long
app.py               the routes; server.py starts and stops it
static/              the page: plain ES modules, SVG and CSS
"""
