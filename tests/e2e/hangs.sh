# Every fault of verdicts.sh that lets a program hang, which takes some seconds each.
VERDICTS=all
. "$ROOT/tests/e2e/verdicts.sh"
