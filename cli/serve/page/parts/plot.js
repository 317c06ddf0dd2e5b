// plot.js - uPlot in the page's colours: a function that a template calls with the element that it is to fill.
import uPlot from '../lib/uplot.js';
import { html } from '../lib/lit-html.js';
import { duration, number, size } from './text.js';

const TEXT = { bytes: size, duration, number, real: value => value.toFixed(2) };
const colour = word => getComputedStyle(document.documentElement).getPropertyValue(`--${word}`).trim();
const COLOURS = ['busy', 'new', 'good', 'wait', 'bad', 'idle'];
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [4, 4], [1, 5]];
let serial = 0;

const widthOf = element => Math.max(element.clientWidth || 700, 240);

/** Marks of time: days, hours or seconds, as far as these are apart. */
const moments = (u, list, axis, space, apart) => list.map(at => new Intl.DateTimeFormat('en-GB', apart >= 86400 ? { day: 'numeric', month: 'short' }
    : apart >= 60 ? { hour: '2-digit', minute: '2-digit' } : { timeStyle: 'medium' }).format(new Date(at * 1000)));

/** Draws: { title, kind, series: [{ name, y, bars }], x: [seconds] (of a clock) or [number], isClock, height, xKind } */
function draw(element, p) {
    element.replaceChildren();
    const axis = { stroke: colour('faint'), grid: { stroke: colour('line'), width: 1 }, ticks: { stroke: colour('line'), width: 1 } };
    const text = TEXT[p.kind] || number, isClock = p.isClock !== false;
    const xText = TEXT[p.xKind] || number;
    return new uPlot({
        width: widthOf(element), height: p.height || 220,
        scales: { x: { time: isClock }, y: { range: (u, low, high) => [Math.min(0, low ?? 0), (high || 1) * 1.08] } },
        legend: { live: false },
        axes: [isClock ? { ...axis, space: 80, values: moments } : { ...axis, values: (u, list) => list.map(xText) },
            { ...axis, size: 76, values: (u, list) => list.map(text) }],
        series: [{}, ...p.series.map((s, i) => ({
            label: s.name, stroke: colour(COLOURS[i % COLOURS.length]), width: 2, dash: DASHES[i % DASHES.length],
            fill: s.bars ? colour(COLOURS[i % COLOURS.length]) + '80' : undefined, points: { show: Boolean(s.points) },
            paths: s.bars ? uPlot.paths.bars({ size: [0.9, 60], align: 1 }) : s.steps ? uPlot.paths.stepped({ align: 1 }) : s.points ? () => null : undefined,
        }))],
    }, [p.x, ...p.series.map(s => s.y)], element);
}

const drawn = new Map(); // element -> its uPlot, which window and document know until it is destroyed
const sizes = new ResizeObserver(entries => {
    for (const { target } of entries) {
        const its = drawn.get(target);
        if (its && target.clientWidth > 0 && widthOf(target) !== its.width)
            its.setSize({ width: widthOf(target), height: its.height });
    }
});

function forget(element) {
    drawn.get(element)?.destroy();
    drawn.delete(element);
    sizes.unobserve(element);
}

/** A figure; what it says is told in words as well. */
export function plot(p) {
    const id = `plot-${++serial}`;
    queueMicrotask(() => {
        const element = document.getElementById(id);
        [...drawn.keys()].filter(one => one === element || !one.isConnected).forEach(forget);
        if (!element || p.x.length === 0)
            return;
        drawn.set(element, draw(element, p));
        sizes.observe(element);
    });
    return html`<figure><figcaption id="${id}-t">${p.title}</figcaption>
        <div class="plot" id=${id} role="img" aria-label="${p.title}${p.says ? `: ${p.says}` : ''}"></div></figure>`;
}
