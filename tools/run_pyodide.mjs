// Run pytest, or one line of Python, in Pyodide under Node.
//
//     node run_pyodide.mjs PYODIDE ROOT -c CODE
//     node run_pyodide.mjs PYODIDE ROOT PACKAGES ARGUMENT...
//
// PYODIDE is the folder of the npm package, ROOT this repository, PACKAGES a folder with pytest. The first form runs
// CODE; the second runs tests/probe.py and then pytest with the arguments, in ROOT, on what HARBOR_UNDER_TEST names.

import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodideFolder, root, ...rest] = process.argv.slice(2);
const underTest = process.env.HARBOR_UNDER_TEST || "package";
const { loadPyodide } = await import(pathToFileURL(path.resolve(pyodideFolder, "pyodide.mjs")).href);
const python = await loadPyodide({
  indexURL: path.resolve(pyodideFolder) + path.sep,
  env: { HOME: "/home", HARBOR_UNDER_TEST: underTest, PYTHONDONTWRITEBYTECODE: "1" },
});

function mount(folder, place) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(folder) }, place);
}

if (rest[0] === "-c") {
  python.runPython(rest[1]);
  process.exit(0);
}

const [packages, ...options] = rest;
mount(root, "/repository");
mount(packages, "/packages");
python.globals.set("options", python.toPy(options));
const status = python.runPython(`
import os, sys
os.chdir("/repository")
here = "/repository/single" if os.environ["HARBOR_UNDER_TEST"] == "single" else "/repository"
sys.argv = ["tests/probe.py", here, "--trial"]
with open("tests/probe.py", encoding="utf-8") as file:
    exec(compile(file.read(), "tests/probe.py", "exec"), {"__name__": "__main__"})
for name in [name for name in sys.modules if name.split(".")[0] == "harbor"]:
    del sys.modules[name]
sys.path[:] = [entry for entry in sys.path if entry != here]
sys.path.insert(0, "/packages")
import pytest
int(pytest.main(list(options)))
`);
process.exit(status);
