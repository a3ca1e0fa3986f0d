# SPDX-License-Identifier: Apache-2.0
"""Counts writes to files, whoever does them: inotify, which sees those to a kernel's control files too."""

import ctypes
import os
import struct

IN_MODIFY = 0x2
_EVENT = struct.Struct("iIII")


class Writes:
    def __init__(self, paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self.paths = {}
        for path in paths:
            watch = libc.inotify_add_watch(self.descriptor, os.fsencode(path), IN_MODIFY)
            if watch < 0:
                raise OSError(ctypes.get_errno(), f"inotify_add_watch {path}")
            self.paths[watch] = path

    def seen(self):
        """Paths of the writes since the last call."""
        found = []
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return found
        while data:
            watch, mask, _, length = _EVENT.unpack_from(data)
            if mask & IN_MODIFY:
                found.append(self.paths[watch])
            data = data[_EVENT.size + length:]
        return found

    def close(self):
        os.close(self.descriptor)
