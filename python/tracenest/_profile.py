"""Profiles: where the time of a run went. The database is that of tracenest-profile(5)."""

import os
import sqlite3
from pathlib import Path
from typing import Any, List, Optional, Union

NS = "1e9 * (SELECT tick FROM seconds)"  # what a tick is


def frames() -> Any:
    """pandas, which only frames need."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tracenest: frames need pandas (python3-pandas, or pip install tracenest[frames])") from error
    return pandas


def joined(parts: List[Any]) -> Any:
    """One frame of several, of the same columns."""
    pd = frames()
    if len(parts) == 1:
        return parts[0]
    whole = pd.DataFrame()
    for name in parts[0]:
        column = [part[name] for part in parts]
        if isinstance(column[0].dtype, pd.CategoricalDtype):
            from pandas.api.types import union_categoricals

            whole[name] = union_categoricals(column)
        else:
            whole[name] = pd.concat(column, ignore_index=True)
    return whole


class Profile:
    """A profile that is open: frames of the questions that are asked most, `query` for any other."""

    def __init__(self, name: Union[str, "os.PathLike[str]"], folder: Any = None) -> None:
        self.path = os.fspath(name)
        self._folder = folder  # keeps a database that is to go with it
        self._database = sqlite3.connect(Path(self.path).absolute().as_uri() + "?mode=ro", uri=True)

    def query(self, sql: str, *parameters: Any) -> Any:
        """The rows of a query as a frame."""
        cursor = self._database.execute(sql, parameters)
        rows = cursor.fetchall()
        return frames().DataFrame(rows, columns=[column[0] for column in cursor.description])

    def value(self, key: str) -> Any:
        """Of the table `run`: "processes", "efficiency", "ticks_per_second", ..."""
        row = self._database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0]

    @property
    def efficiency(self) -> Optional[float]:
        """Parallel efficiency; None where nobody communicates."""
        value = self.value("efficiency")
        return None if value is None else float(value)

    @property
    def seconds(self) -> Optional[float]:
        """The run time; None where the clock is not known."""
        ticks = self.value("ticks_per_second")
        return float(self.value("run")) / ticks if ticks else None

    def statements(self) -> Any:
        """By statement, the hottest first: all processes computing before it (time.exc) and inside its MPI calls."""
        return self.query(
            'SELECT text AS Name, address AS Statement, 1e9 * computing AS "time.exc (ns)",'
            ' 1e9 * calling AS "time.mpi (ns)", 1e9 * total AS "time.inc (ns)" FROM hot'
        )

    def report(self) -> Any:
        """What is lost, the worst first: a construct a row, with its loss and what that comes from, in ns, and in
        words."""
        return self.query(
            "SELECT c.name AS Name, c.loop AS Loop, f.kind AS Kind, f.ranks AS Processes,"
            f' f.iterations AS Iterations, f.share AS Share, f.accuses AS Accuses,'
            f' c.loss * {NS} AS "Loss (ns)", c.imbalance * {NS} AS "Imbalance (ns)",'
            f' c.serialization * {NS} AS "Serialization (ns)", c.transfer * {NS} AS "Transfer (ns)", rtrim(f.words, char(10)) AS Text'
            " FROM finding f JOIN construct c ON c.id = f.construct ORDER BY f.place"
        ).astype({"Accuses": bool})

    def processes(self) -> Any:
        """By process: computing, MPI calls, and waiting in these."""
        return self.query(
            f'SELECT rank AS Process, role AS Role, work * {NS} AS "time.exc (ns)", call * {NS} AS "time.mpi (ns)",'
            f' late_sender * {NS} AS "Late Sender (ns)", late_receiver * {NS} AS "Late Receiver (ns)",'
            f' collective * {NS} AS "Wait at Collective (ns)", events AS Events FROM process ORDER BY rank'
        )

    def close(self) -> None:
        self._database.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> "Profile":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tracenest.Profile of {self.value('processes')} processes, {self.value('records')} records>"
