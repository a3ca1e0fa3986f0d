# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG text: panels of points with ranges over named positions, one colour a series."""

from dataclasses import dataclass
from html import escape
from math import floor, log10

COLOURS = ("#0f766e", "#c2410c", "#4338ca", "#a16207", "#be185d", "#475569", "#15803d")
PANEL_WIDTH, PANEL_HEIGHT = 300, 210
LEFT, RIGHT, TOP, BOTTOM, GAP, LEGEND_LINE = 52, 12, 28, 40, 14, 18
TICKS = 4
WIDEST_STEP = 24


@dataclass(frozen=True)
class Panel:
    """title; x names in order; series name -> {x name: (mean, low, high)}."""

    title: str
    names: list
    series: dict


def figure(title, x_label, panels, columns=3):
    """A grid of panels with one legend."""
    names = list(dict.fromkeys(s for p in panels for s in p.series))
    rows = -(-len(panels) // columns)
    width = columns * PANEL_WIDTH + (columns + 1) * GAP
    head = 34 + LEGEND_LINE * len(names)
    height = head + rows * (PANEL_HEIGHT + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{GAP}" y="22" font-size="15" font-weight="bold">{escape(title)}</text>']
    for i, name in enumerate(names):
        y = 40 + i * LEGEND_LINE
        out += [f'<circle cx="{GAP + 6}" cy="{y - 4}" r="4" fill="{_colour(i)}"/>',
                f'<text x="{GAP + 18}" y="{y}">{escape(name)}</text>']
    for i, panel in enumerate(panels):
        x = GAP + (i % columns) * (PANEL_WIDTH + GAP)
        y = head + (i // columns) * (PANEL_HEIGHT + GAP)
        out.append(f'<g transform="translate({x},{y})">{_panel(panel, x_label, names)}</g>')
    return "\n".join(out) + "\n</svg>\n"


def _colour(i):
    return COLOURS[i % len(COLOURS)]


def _panel(panel, x_label, all_series):
    top = max((high for s in panel.series.values() for _, _, high in s.values()), default=0) or 1
    limit = _round_up(top)
    inner_width, inner_height = PANEL_WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM
    # series stand side by side at each position, so that their ranges can be told apart
    step = min(WIDEST_STEP, inner_width / len(panel.names) / (len(all_series) + 1))

    def x_of(name):
        return LEFT + inner_width * (panel.names.index(name) + 0.5) / len(panel.names)

    def y_of(value):
        return TOP + inner_height * (1 - max(value, 0) / limit)

    out = [f'<text x="{LEFT}" y="16" font-weight="bold">{escape(panel.title)}</text>']
    for i in range(TICKS + 1):
        value = limit * i / TICKS
        out += [f'<line x1="{LEFT}" x2="{PANEL_WIDTH - RIGHT}" y1="{y_of(value):.1f}" y2="{y_of(value):.1f}" '
                'stroke="#e2e8f0"/>',
                f'<text x="{LEFT - 5}" y="{y_of(value) + 4:.1f}" text-anchor="end">{value:g}</text>']
    for name in panel.names:
        out.append(f'<text x="{x_of(name):.1f}" y="{PANEL_HEIGHT - BOTTOM + 15}" text-anchor="middle">'
                   f'{escape(name)}</text>')
    out.append(f'<text x="{LEFT + inner_width / 2:.1f}" y="{PANEL_HEIGHT - 8}" text-anchor="middle" fill="#475569">'
               f'{escape(x_label)}</text>')
    for series, points in panel.series.items():
        index = all_series.index(series)
        shift = step * (index - (len(all_series) - 1) / 2)
        out.append(_series(points, [n for n in panel.names if n in points], lambda n, s=shift: x_of(n) + s, y_of,
                           _colour(index)))
    return "".join(out)


def _series(points, names, x_of, y_of, colour):
    line = " ".join(f"{x_of(n):.1f},{y_of(points[n][0]):.1f}" for n in names)
    out = [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-opacity="0.6"/>']
    for name in names:
        mean, low, high = points[name]
        x = x_of(name)
        out += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y_of(low):.1f}" y2="{y_of(high):.1f}" stroke="{colour}"/>',
                f'<circle cx="{x:.1f}" cy="{y_of(mean):.1f}" r="3.5" fill="{colour}"/>']
    return "".join(out)


def _round_up(value):
    """The next of 1, 2, 2.5, 4, 5, 8, 10 times a power of ten: an axis limit that divides well."""
    power = 10.0 ** floor(log10(value))
    return next(m * power for m in (1, 2, 2.5, 4, 5, 8, 10) if value <= m * power * (1 + 1e-9))
