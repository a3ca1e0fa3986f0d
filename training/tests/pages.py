# SPDX-License-Identifier: Apache-2.0
"""What every page of ic2-train has to be, tried in a headless Chromium: one file, for everybody, by day and by night, on a telephone."""
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "faban-drivers" / "webapp" / "tests"))

import axe  # noqa: E402
import browser  # noqa: E402

NARROW = 390
BACKGROUND = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)"
WHITE = 3 * 255
NESTED = "return document.querySelectorAll('a a, a button, button a, summary a, [role=img] a, [aria-hidden=true] a').length"
# Parts that are wider than the window and whose colours would lie over the shadow of their box.
HIDDEN = ("return [...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth).flatMap(box => [...box.children])"
          ".filter(one => getComputedStyle(one).mixBlendMode === 'normal').map(one => one.outerHTML.slice(0, 80))")


def is_fit_to_read(file):
    """Nothing is asked for but the file; axe finds nothing serious in the light and in the dark; what is too wide moves by itself."""
    assert shutil.which("chromedriver"), "install the package chromium-driver"
    with browser.browser() as window:
        window.open(file.resolve().as_uri())
        assert window.run("return performance.getEntriesByType('resource').length") == 0
        assert window.run(NESTED) == 0, "nothing to click lies in something to click, or in a picture"
        for scheme in ("light", "dark"):
            window.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            assert (window.run(BACKGROUND) < WHITE / 4) == (scheme == "dark"), scheme
            assert axe.serious(window) == [], scheme
        window.devtools("Emulation.setDeviceMetricsOverride", width=NARROW, height=844, deviceScaleFactor=2, mobile=True)
        wide = window.run("return [document.documentElement.scrollWidth, [...document.querySelectorAll('body *')].filter(one =>"
                          " one.getBoundingClientRect().right > innerWidth && !one.closest('.scroll, pre')).map(one => one.outerHTML.slice(0, 80))]")
        assert wide == [NARROW, []], wide
        assert window.run(HIDDEN) == [], "a shadow at the edge says that there is more"
        assert window.complaints() == []
