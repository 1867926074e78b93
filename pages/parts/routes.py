"""The app's own HTTP addresses beside the pages: stored runs as a file. Draws nothing."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pages.parts import state
from storage.exporting import ROUTE
from storage.problems import StorageProblem
from storage.transfer import Transfer


async def export_run(request: Request) -> Response:
    """The run file of a run or of an experiment, for `cli.py export` while the app holds the database."""
    run_id = request.path_params["run_id"]
    try:
        content = await run_in_threadpool(lambda: Transfer(state.services().runs).file_of(run_id))
    except StorageProblem as fault:
        return PlainTextResponse(str(fault), status_code=404)
    return Response(
        content,
        media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="paceline-{run_id[:12]}.json"'},
    )


ROUTES = [Route(ROUTE, export_run)]
