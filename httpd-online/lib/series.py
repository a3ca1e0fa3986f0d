# SPDX-License-Identifier: Apache-2.0
"""
Parts of a patch series, kept in two places: new files as they are at the end, in src/; and for each part one file in
patches/ with its message, the names of the files it adds ("Adds: PATH"), and its changes to files that were there
before it: httpd's own, or those that an earlier part has added.

So the state of a file after part n is: of httpd's file, what the parts up to n make of it; of a new one, what is in
src/ without the changes of the parts after n.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

COMPONENT = pathlib.Path(__file__).resolve().parent.parent
SRC, PATCHES = COMPONENT / "src", COMPONENT / "patches"

# What an exported commit says besides subject and message. Always the same, so that the same series exports the same.
MAIL = """\
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: IC2 developers <dev@ic2.invalid>
Date: Fri, 20 Nov 2026 12:00:00 +0000
Subject: [PATCH] {subject}

{message}---
{stat}
"""

DESCRIPTION = """\
The patches against httpd as files that can be edited: src/ holds the new files, patches/NNNN-*.patch one part each:
its message, the files of src/ that it adds (Adds: PATH), and its hooks in files that were there before.

  series apply TREE            patch the source tree TREE; if there is no TREE, the source is unpacked there first
  series refresh TREE          take over what was edited in TREE, which apply has made: new files go to src/, hooks
                               to the part that has them (--part N, if several have changed that file; --add PATH
                               for a new file). Without TREE: only number lines anew, after editing src/
  series try TREE              patch nothing, but say of each part whether it fits; exit 1 if one doesn't
  series export DIR            write the whole as git format-patch would, for git am
  series check                 does everything fit together? Does git am of what is exported make the same tree as
                               apply, part by part? One line; exit 1 if not

--source TARBALL or tree: the httpd to patch; default: the source that build.sh has got (it gets one if there is none).
"""


class Problem(Exception):
    """Something that the user has to know, in one line or a few."""


def run(*command, cwd=None, text=None, ok=(0,)):
    done = subprocess.run([str(word) for word in command], cwd=cwd, input=text, capture_output=True, check=False)
    if done.returncode not in ok:
        raise Problem(f"{' '.join(map(str, command))}: {(done.stdout + done.stderr).decode(errors='replace').strip()}")
    return done


def content(path):
    return path.read_bytes() if path.is_file() else None


def put(root, path, data):
    """Writes the file, or removes it if data is None."""
    target = root / path
    if data is None:
        target.unlink(missing_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return target


def diff(path, before, after):
    """The change of one file as git shows it; b"" if there is none."""
    with tempfile.TemporaryDirectory(prefix="series-") as work:
        for side, data in (("a", before), ("b", after)):
            (pathlib.Path(work) / side).mkdir()
            put(pathlib.Path(work) / side, path, data)
        return run("git", "diff", "--no-index", "--no-prefix", "--no-color", "--no-renames", "a", "b",
                   cwd=work, ok=(0, 1)).stdout


def patched(name, path, data, change, *flags):
    """(the file after the change, whether it needed fuzz). `flags` are for patch(1)."""
    with tempfile.TemporaryDirectory(prefix="series-") as work:
        file = put(pathlib.Path(work), "file", data) if data is not None else pathlib.Path(work) / "file"
        done = subprocess.run(["patch", "--batch", "--fuzz=2", "--no-backup-if-mismatch", "--reject-file=-", *flags, file],
                              input=change, capture_output=True, check=False)
        said = done.stdout.decode(errors="replace")
        if done.returncode:
            lines = [line for line in said.splitlines() if "FAILED" in line or "malformed" in line or "No file" in line]
            raise Problem(f"{name}: {path}: " + "; ".join(lines or said.splitlines()[-1:] or ["no such file"]))
        return file.read_bytes(), "fuzz" in said


@dataclass
class Part:
    """One file of patches/."""

    file: pathlib.Path
    subject: str
    message: str
    adds: list
    changes: dict = field(default_factory=dict)     # path -> text of its diff

    @classmethod
    def read(cls, file):
        head, *diffs = re.split(rb"^(?=diff --git )", file.read_bytes(), flags=re.M)
        head = head.decode()
        subject = re.match(r"Subject: (.+)\n", head)
        if not subject:
            raise Problem(f"{file.name}: the first line must be 'Subject: ...'")
        body = head[subject.end():].removesuffix("---\n")
        adds = re.findall(r"^Adds: (\S+)\n", body, re.M)
        part = cls(file, subject[1], re.sub(r"^Adds: .*\n", "", body, flags=re.M).strip(), adds)
        for text in diffs:
            name = re.match(rb"diff --git a/(\S+) b/\1\n", text)
            if not name:
                raise Problem(f"{file.name}: not 'diff --git a/PATH b/PATH': {text.splitlines()[0].decode(errors='replace')}")
            part.changes[name[1].decode()] = text
        return part

    def write(self):
        adds = "".join(f"Adds: {path}\n" for path in self.adds)
        blocks = [f"Subject: {self.subject}\n", self.message and self.message + "\n", adds]
        self.file.write_bytes("\n".join(b for b in blocks if b).encode() + b"---\n" + b"".join(self.changes.values()))


class Series:
    def __init__(self, src=SRC, patches=PATCHES):
        self.src = src
        self.parts = [Part.read(file) for file in sorted(patches.glob("*.patch"))]
        if not self.parts:
            raise Problem(f"no patch in {patches}")
        self.adder = {}
        for number, part in enumerate(self.parts, 1):
            for path in part.adds:
                if path in self.adder:
                    raise Problem(f"{part.file.name}: {path} is added by {self.parts[self.adder[path] - 1].file.name} already")
                if not (src / path).is_file():
                    raise Problem(f"{part.file.name} adds {path}, which is not in src/")
                self.adder[path] = number
        for path in self.files():
            if path not in self.adder:
                raise Problem(f"src/{path}: no part adds it (a line 'Adds: {path}' in one of patches/)")

    def files(self):
        """Paths of src/."""
        return sorted(str(f.relative_to(self.src)) for f in self.src.rglob("*") if f.is_file())

    def hooked(self):
        """Paths of httpd's own files that any part changes."""
        return sorted({path for part in self.parts for path in part.changes} - set(self.adder))

    # -- states -------------------------------------------------------------------------------------------------------

    def history(self, path, stock):
        """[content before the first part, after it, after the second, ...]; None where there is no such file."""
        count = len(self.parts)
        states = [None] * (count + 1)
        if path in self.adder:
            states[count] = (self.src / path).read_bytes()
            for n in range(count, self.adder[path], -1):
                part = self.parts[n - 1]
                change = part.changes.get(path)
                states[n - 1] = states[n] if change is None \
                    else patched(f"{part.file.name} (taken back)", path, states[n], change, "--reverse")[0]
            return states
        states[0] = content(stock / path)
        for n, part in enumerate(self.parts, 1):
            change = part.changes.get(path)
            states[n] = states[n - 1] if change is None \
                else patched(part.file.name, path, states[n - 1], change, "--forward")[0]
        return states

    def histories(self, stock):
        return {path: self.history(path, stock) for path in [*self.files(), *self.hooked()]}

    def store(self, histories):
        """Makes src/ and patches/ say what the histories say."""
        for n, part in enumerate(self.parts, 1):
            part.adds = sorted(p for p, states in histories.items() if states[0] is None and states[n] is not None
                               and states[n - 1] is None)
            part.changes = {}
            for path, states in sorted(histories.items()):
                if states[n - 1] is not None and states[n - 1] != states[n]:
                    part.changes[path] = diff(path, states[n - 1], states[n])
        for path, states in histories.items():
            if states[0] is None:
                put(self.src, path, states[-1])
        for part in self.parts:
            part.write()

    # -- verbs --------------------------------------------------------------------------------------------------------

    def apply(self, tree):
        """Patches the tree; prints a line for each part."""
        for part in self.parts:
            fuzzy = []
            for path, change in part.changes.items():
                if path in self.adder:
                    continue    # in src/ it is as the last part leaves it
                after, fuzz = patched(part.file.name, path, content(tree / path), change, "--forward")
                put(tree, path, after)
                fuzzy += [path] if fuzz else []
            for path in part.adds:
                if (tree / path).exists():
                    raise Problem(f"{part.file.name}: {path} is there already")
                put(tree, path, (self.src / path).read_bytes())
            print(f"applied {part.file.name}" + (f", with fuzz: {' '.join(fuzzy)}" if fuzzy else ""))

    def attempt(self, tree):
        """Tries each part on what the parts before made of a tree that stays as it is; prints a line for each.
        Returns how many do not apply."""
        files, failed = {}, 0
        for part in self.parts:
            fuzzy, broken = [], []
            for path, change in part.changes.items():
                if path in self.adder:
                    continue
                try:
                    files[path], fuzz = patched(part.file.name, path, files.get(path, content(tree / path)), change, "--forward")
                    fuzzy += [path] if fuzz else []
                except Problem as problem:
                    broken.append(str(problem).removeprefix(f"{part.file.name}: "))
            broken += [f"{path}: is there already" for path in part.adds if (tree / path).exists()]
            failed += bool(broken)
            print(f"{part.file.name}: " + ("does NOT apply: " + "; ".join(broken) if broken
                                           else "applies" + (f", with fuzz: {' '.join(fuzzy)}" if fuzzy else "")))
        return failed

    def refresh(self, stock, tree=None, number=None, new=()):
        """Takes over the edits of a tree; returns what has changed, as (path, number of the part)."""
        histories, taken = self.histories(stock), []
        for path in new:
            if not (tree / path).is_file() or (stock / path).exists():
                raise Problem(f"--add {path}: not a new file of {tree}")
            histories[path] = [None] * (len(self.parts) + 1)
        for path in sorted(tree and {*histories, *changed_files(stock, tree)} or ()):
            states = histories.setdefault(path, [content(stock / path)] * (len(self.parts) + 1))
            edited = content(tree / path)
            if edited != states[-1]:
                part = number or self.owner(path, states)
                histories[path] = edit(self.parts[part - 1].file.name, path, states, part, edited)
                taken.append((path, part))
        self.store(histories)
        return taken

    def owner(self, path, states):
        """The number of the part to which an edit of the file goes if nobody says."""
        if path in self.adder:
            return self.adder[path]
        those = [n for n in range(1, len(states)) if states[n] != states[n - 1]]
        if len(those) != 1:
            names = ", ".join(str(n) for n in those) or "none"
            raise Problem(f"{path} was edited; parts that change it: {names}. Say which one gets the edit with --part N")
        return those[0]

    def mails(self, stock=None):
        """(name, bytes) of each part as git format-patch writes it."""
        for n, part in enumerate(self.parts, 1):
            diffs = dict(part.changes)
            for path in part.adds:
                diffs[path] = diff(path, None, self.history(path, stock)[n])
            text = b"".join(diffs[path] for path in sorted(diffs))
            stat = run("git", "apply", "--stat", "--summary", "-", text=text, cwd="/").stdout.decode()
            message = part.message and part.message + "\n"
            head = MAIL.format(subject=part.subject, message=message, stat=stat)
            yield part.file.name, head.encode() + text + b"-- \n\n"

    def export(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()):
            raise Problem(f"{directory} is not empty")
        for name, text in self.mails():
            (directory / name).write_bytes(text)


def changed_files(stock, tree):
    """Files of httpd that differ in the tree."""
    same = [str(f.relative_to(stock)) for f in stock.rglob("*") if f.is_file() and not f.is_symlink()]
    return [path for path in same if (tree / path).is_file() and (tree / path).read_bytes() != (stock / path).read_bytes()]


def edit(name, path, states, part, edited):
    """The history with the difference between its last state and `edited` made in this part already."""
    before, result = states[-1], list(states)
    for n in range(part, len(states)):
        if states[n] in (before, None):
            result[n] = edited
            continue
        with tempfile.TemporaryDirectory(prefix="series-") as work:
            files = [put(pathlib.Path(work), side, data or b"")
                     for side, data in (("part", states[n]), ("before", before), ("edited", edited))]
            done = run("git", "merge-file", "-p", *files, ok=range(128))
        if done.returncode:
            raise Problem(f"{path}: the edit and a later part touch the same lines, so it can't be made in {name}: "
                          "give it to a later part with --part N")
        result[n] = done.stdout
    return result


# -- the source of httpd ----------------------------------------------------------------------------------------------

def unpack(source, tree):
    """A copy of the source, or the tarball's single top directory, becomes the tree."""
    if source.is_dir():
        shutil.copytree(source, tree, symlinks=True)
    else:
        tree.mkdir(parents=True)
        run("tar", "--extract", "--file", source, "--directory", tree, "--strip-components=1", "--no-same-owner")
    if not (tree / "include" / "ap_release.h").is_file():
        raise Problem(f"{source}: no include/ap_release.h in it, so this is no httpd source")


def stock_source(given):
    """The tarball or tree to start from."""
    if given:
        if not given.exists():
            raise Problem(f"--source {given}: no such file or directory")
        return given
    return pathlib.Path(run(COMPONENT / "build.sh", "--print-source").stdout.decode().splitlines()[-1])


class Stock:
    """with Stock(given) as tree: an unpacked, unpatched httpd for a while."""

    def __init__(self, given):
        self.given = given

    def __enter__(self):
        self.work = tempfile.TemporaryDirectory(prefix="series-")
        tree = pathlib.Path(self.work.name) / "stock"
        unpack(stock_source(self.given), tree)
        return tree

    def __exit__(self, *_):
        self.work.cleanup()


# -- check ------------------------------------------------------------------------------------------------------------

def git(repository, *words):
    return run("git", "-c", "user.name=series", "-c", "user.email=series@localhost", "-c", "core.autocrlf=false",
               "-c", "commit.gpgsign=false", *words, cwd=repository)


def check(series, stock):
    """git am of the exported series must give, part by part, the states that apply and refresh go by."""
    histories = series.histories(stock)
    for n, part in enumerate(series.parts, 1):
        if not any(states[n] != states[n - 1] for states in histories.values()):
            raise Problem(f"{part.file.name} changes nothing")
    with tempfile.TemporaryDirectory(prefix="series-") as work:
        work = pathlib.Path(work)
        series.export(work / "mails")
        repository = work / "repository"
        repository.mkdir()
        git(repository, "init", "-q")
        for path in series.hooked():
            put(repository, path, content(stock / path))
        git(repository, "add", "--force", ".")
        git(repository, "commit", "-q", "-m", "httpd")
        for n, mail in enumerate(sorted((work / "mails").iterdir()), 1):
            git(repository, "am", "-q", "--whitespace=nowarn", mail)
            for path, states in histories.items():
                if content(repository / path) != states[n]:
                    raise Problem(f"{path}: after git am of {mail.name} it is not what src/ and patches/ say")
        (work / "tree").mkdir()
        for path in series.hooked():
            put(work / "tree", path, content(stock / path))
        for part in series.parts:       # as apply does, which prints
            for path, change in part.changes.items():
                if path not in series.adder:
                    put(work / "tree", path, patched(part.file.name, path, content(work / "tree" / path), change, "--forward")[0])
        for path in series.hooked():
            if content(work / "tree" / path) != histories[path][-1]:
                raise Problem(f"{path}: apply and git am do not make the same of it")


def main(arguments):
    parser = argparse.ArgumentParser(prog="series", description=DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["apply", "try", "refresh", "export", "check"])
    parser.add_argument("where", nargs="?", type=pathlib.Path, metavar="TREE|DIR")
    parser.add_argument("--source", type=pathlib.Path, metavar="SOURCE", help="tarball or tree of httpd to start from")
    parser.add_argument("--part", type=int, metavar="N", help="refresh: the part that gets the edits")
    parser.add_argument("--add", action="append", default=[], metavar="PATH", help="refresh: a new file of TREE; needs --part")
    given = parser.parse_args(arguments)
    if given.verb in ("apply", "try", "export") and not given.where:
        parser.error(f"{given.verb} needs the name of a directory")
    if (given.part or given.add) and (given.verb != "refresh" or not given.where or not given.part):
        parser.error("--part N and --add PATH belong to refresh TREE, --add needs --part")
    try:
        series = Series()
        if given.part and not 1 <= given.part <= len(series.parts):
            raise Problem(f"--part {given.part}: there are parts 1 to {len(series.parts)}")
        return act(series, given) or 0
    except (Problem, OSError) as problem:
        print(f"series: error: {problem}", file=sys.stderr)
        return 1


def act(series, given):
    """Does it; returns an exit status or None."""
    if given.where and given.where.exists() and given.verb != "export" \
            and not (given.where / "include" / "ap_release.h").is_file():
        raise Problem(f"{given.where}: no include/ap_release.h in it, so this is no httpd source")
    if given.verb == "export":
        series.export(given.where)
        print(f"exported {len(series.parts)} parts to {given.where}; git am {given.where}/*.patch applies them")
    elif given.verb == "apply":
        if not given.where.exists():
            unpack(stock_source(given.source), given.where)
        elif given.source:
            raise Problem(f"{given.where} is there already; --source is for a new one")
        series.apply(given.where)
    elif given.verb == "try":
        return 1 if series.attempt(given.where) else 0
    elif given.verb == "refresh":
        if given.where and not given.where.exists():
            raise Problem(f"{given.where}: no such directory; series apply makes one")
        with Stock(given.source) as stock:
            taken = series.refresh(stock, given.where, given.part, given.add)
        for path, number in taken:
            print(f"{path}: {series.parts[number - 1].file.name}")
        print("nothing was edited" if given.where and not taken else "src/ and patches/ are up to date")
    else:
        with Stock(given.source) as stock:
            check(series, stock)
        print(f"{len(series.parts)} parts, {len(series.files())} new files, {len(series.hooked())} files of httpd changed: "
              "git am of the exported series and apply make the same tree, part by part")
