"""views.py -- the figures of a program as each view of it tells them: views.py TRACENEST NAME... (NAME.global: the model; NAME.said: what `model` said).

A figure is defined once (tracenest-stat(1)); here it is counted on texts, too, by nobody's code but this. Prints what differs.
"""
import json
import os
import re
import subprocess
import sys

tracenest, *names = sys.argv[1:]
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../python"))
os.environ["TRACENEST_LIBRARY"] = os.path.join(os.path.dirname(os.path.abspath(tracenest)), "libtracenest.so")
try:
    import tracenest as package
except ImportError:
    package = None
number = lambda text: int(text.replace(",", ""))


def say(*words):
    return subprocess.run([tracenest, *words], check=True, capture_output=True, text=True).stdout


def lines(text):
    """Of the text of a program: its statements."""
    program = text.split("// tables\n")[0].splitlines()
    return [line for line in program if line and not line.lstrip().startswith("//") and line.split("] ")[-1].strip() != "done"]


def is_loop(line):
    return re.match(r" *(\[[^\]]*\] )?for ", line) is not None


def of_model(said):
    events = number(re.search(r"process(?:es)?, ([\d,]+) event", said)[1])
    folded = re.search(r"folded over the processes: ([\d,]+) statements; different roles: (\d+)", said)
    told = re.search(r"global model: ([\d,]+) constructs, .*; loops: ([\d,]+), depth (\d+)", said)
    shares = re.search(r"loops of several processes: ([\d.]+) %; of all processes: ([\d.]+) %", said)
    return {"events": events, "constructs": number(told[1]), "loops": number(told[2]), "depth": int(told[3]),
            **({"statements": number(folded[1]), "roles": int(folded[2])} if folded else {}), "several": float(shares[1]), "all": float(shares[2])}


def of_json(told):
    return {"events": told["events"], "constructs": told["constructs"], "loops": told["loops"], "depth": told["depth"], "statements": told["statements"],
            "roles": told["roles"], "several": 100 * told["coverage"]["several"], "all": 100 * told["coverage"]["all"],
            "bytes of text": told["bytes"], "bytes": told.get("bytes_sent"), "lines": told["cost_of"]["lines"] + told["cost_of"]["guards"]}


def of_people(told):
    figure = {name.strip(): (value, rest) for name, value, rest in re.findall(r"^([a-z' ]+?) +([\d,.]+)(?: +(.*))?$", told, re.M)}
    share = lambda name: float(figure[name][1].split()[0])
    return {**{name: number(figure[name][0]) for name in ("events", "constructs", "loops", "depth", "statements", "roles", "bytes of text")},
            "several": share("of several processes"), "all": share("of all processes"),
            **({"bytes": number(figure["bytes sent"][0])} if "bytes sent" in figure else {})}


def of_csv(told):
    names, values = told.splitlines()
    row = {name: float(value) for name, value in zip(names.split(","), values.split(","), strict=True)}
    return {**{name: int(row[name]) for name in ("events", "constructs", "loops", "depth", "statements", "roles", "messages")},
            "bytes of text": int(row["bytes"]), "several": 100 * row["events_of_several"] / max(1, row["events"])}


def of_page(model):
    page = "page.html"
    say("draw", "-q", model, "-o", page)
    with open(page, encoding="utf-8") as file:
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.S)[1])
    statements = [row for row in data["lines"] if isinstance(row, list)]
    outermost = [row for row in statements if "." not in row[1]]
    return {**data["figures"], "messages": sum(int(row[5]) for row in outermost), "events": sum(int(row[4]) for row in outermost),
            "loops": sum(is_loop(row[0]) for row in statements), "statements": len(statements)}, data["figures"]


def of_python(model):
    if not package:
        return {}
    read = package.model(model)
    told, cells = read.statistics(), read.messages()
    return {"events": told.events, "constructs": told.constructs, "loops": told.loops, "depth": told.depth, "statements": told.statements, "roles": told.roles,
            "several": 100 * told.in_several / max(1, told.events), "all": 100 * told.in_all / max(1, told.events),
            "messages": int(cells["messages"].sum())}


def views(name):
    model = name + ".global"
    if os.path.exists(name+".said"):
     with open(name + ".said", encoding="utf-8") as file:
         yield "model", of_model(file.read())
    yield "stat --json", of_json(json.loads(say("stat", "--json", model)))
    yield "stat", of_people(say("stat", model))
    yield "stat --csv", of_csv(say("stat", "--csv", model))
    yield "the page", of_page(model)[0]
    yield "its head", of_page(model)[1]
    yield "Python", of_python(model)
    written = lines(say("show", "--procedures", "off", model))
    yield "show --procedures off", {"statements": len(written), "loops": sum(map(is_loop, written))}
    shown = say("show", model)
    yield "show", {"bytes of text": len(shown), "lines": len(lines(shown))}
    yield "show --unfolded", {"constructs": len(lines(say("show", "--unfolded", model)))}
    events = say("expand", model).splitlines()
    yield "expand", {"events": len(events), "messages": sum(line.split()[1] == "send" for line in events)}
    matrix = json.loads(say("matrix", "--lenient", "--json", model))
    run, = matrix["phases"]
    yield "matrix", {"messages": run["sent"]}
    yield "its pairs", {"messages": sum(pair["messages"] for pair in run["pairs"])}


OF_FOLDED = {"statements", "roles", "bytes of text", "lines"}  # of others `stat` tells what folding would make

for name in names:
    first = {}
    with open(name + ".global", encoding="utf-8") as file:
        folded = any(line.lstrip().startswith("[") for line in file)
    for view, figures in views(name):
        for figure, value in figures.items():
            if figure in OF_FOLDED and not folded:
                continue
            where, expected = first.setdefault(figure, (view, value))
            if value != expected and not (isinstance(value, float) and abs(value - expected) < 0.051):  # a share, as it is rounded
                print(f"{name}: {figure}: {value} in {view}, {expected} in {where}")
                sys.exitcode = 1
