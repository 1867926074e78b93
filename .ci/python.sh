#!/bin/sh
# Finds a Python that can carry Paceline (3.11 or newer, with venv) and runs its arguments with it.
# Says in one sentence what is missing and which command brings it.

fits() { # version within the range the pinned packages have wheels for, and able to make a virtual environment
  "$1" -c "import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, $2)))" >/dev/null 2>&1
}
makes_venv() {
  "$1" -c "import venv, ensurepip" >/dev/null 2>&1
}
version_of() {
  "$1" -c "import sys; print('%d.%d' % sys.version_info[:2])" 2>/dev/null
}

if [ -n "$PYTHON" ]; then
  candidates=$PYTHON
else
  candidates="python3 python3.13 python3.12 python3.11 python3.14"
fi
without_venv=""
too_old=""
for newest in 13 99; do
  for candidate in $candidates; do
    if fits "$candidate" "$newest"; then
      if makes_venv "$candidate"; then
        exec "$candidate" "$@"
      fi
      without_venv=${without_venv:-$candidate}
    else
      too_old=${too_old:-$(version_of "$candidate")}
    fi
  done
done

if [ -n "$without_venv" ]; then
  echo "Python's venv module is missing: sudo apt-get install python$(version_of "$without_venv")-venv" >&2
elif [ -n "$PYTHON" ]; then
  echo "PYTHON=$PYTHON is ${too_old:+Python $too_old, }not a Python 3.11 or newer that runs here: give another path or leave PYTHON out." >&2
else
  echo "Python 3.11 or newer is needed${too_old:+ and $too_old is what is here}: sudo apt-get install python3.11 python3.11-venv (Debian, Ubuntu), brew install python@3.12 (macOS), or name one: make PYTHON=/path/to/python3.12" >&2
fi
exit 1
