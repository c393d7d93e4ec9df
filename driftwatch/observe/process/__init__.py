"""Starting, limiting and ending other programs: ``start`` is the one verb."""

from driftwatch.observe.process.child import Child, Exit, ProcessError, start
from driftwatch.observe.process.held import held_folder
from driftwatch.observe.process.scratch import remove, scratch_folder, work_folder

__all__ = ["Child", "Exit", "ProcessError", "held_folder", "remove", "scratch_folder", "start", "work_folder"]
