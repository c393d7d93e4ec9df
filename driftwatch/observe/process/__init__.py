"""Starting, limiting and ending other programs: ``start`` is the one verb."""

from driftwatch.observe.process.child import Child, Exit, ProcessError, start
from driftwatch.observe.process.scratch import remove, scratch_folder, work_folder

__all__ = ["Child", "Exit", "ProcessError", "remove", "scratch_folder", "start", "work_folder"]
