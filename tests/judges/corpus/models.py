"""The models of slack_sdk: each block and view is read by them, and what they make of it must be the same again."""

import json
import pathlib
import sys

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

corpus, bad = (pathlib.Path(path) for path in sys.argv[1:3])


def without_nulls(value):
    """As the models write it: a member that is null is not there."""
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return value


def differing(sent, back, path=""):
    """The first place where the two differ."""
    if isinstance(sent, dict) and isinstance(back, dict):
        for name in sorted({*sent, *back}):
            found = differing(sent.get(name), back.get(name), f"{path}/{name}")
            if found:
                return found
        return None
    if isinstance(sent, list) and isinstance(back, list) and len(sent) == len(back):
        for at, (one, other) in enumerate(zip(sent, back)):
            found = differing(one, other, f"{path}/{at}")
            if found:
                return found
        return None
    return None if sent == back else f"{path}: {str(sent)[:80]!r} comes back as {str(back)[:80]!r}"


def faults_of(kind, sent):
    """What is wrong with one piece."""
    try:
        if kind in ("modals", "homes"):
            back = View(**sent).to_dict()
            return differing(without_nulls(sent), back)
        for at, block in enumerate(sent.get("blocks", [])):
            parsed = Block.parse(block)
            if parsed is None:
                return f"/blocks/{at}: no block that the models know: {block.get('type')}"
            found = differing(block, parsed.to_dict(), f"/blocks/{at}")
            if found:
                return found
    except Exception as fault:  # The models refuse by exceptions of several kinds.
        return f"{type(fault).__name__}: {fault}"
    return None


faults, count = [], 0
for kind in ("messages", "modals", "homes", "answers"):
    for path in sorted((corpus / kind).glob("*.json")):
        count += 1
        found = faults_of(kind, json.loads(path.read_text()))
        if found:
            faults.append(f"{path.name}: {found}")

planted = 0
for path in sorted(bad.glob("*.json")):
    sample = json.loads(path.read_text())
    if "models" in sample["found_by"]:
        planted += 1
        if faults_of(sample["kind"], sample["sent"]) is None:
            faults.append(f"{path.name}: the models take it")

print(f"models   slack_sdk: {count} pieces read and written back the same; {planted} bad samples refused")
for fault in faults[:20]:
    print(f"  {fault}", file=sys.stderr)
if faults or count < 40 or planted < 1:
    sys.exit(f"models   {len(faults)} faults in {count} pieces, {planted} bad samples")
