// timeline.js - when what ran.
import { html, nothing, svg } from '../lib/lit-html.js';
import { colourOf, notice, shapeOf } from './parts.js';
import { clock, duration, ms, number, plural, shortened } from './text.js';

const MOST = 2000; // attempts, the first by their start
export const LOOKED_AT = 10000; // attempts, in the order of the definition: who started first among these is known

/** Attempts as bars, packed into as few lanes as they need, for their start and end; isAll: there are no others. */
export function timeline(attempts, states, isAll) {
    const ran = attempts.filter(row => row.started).map(row => ({ ...row, from: ms(row.started), to: ms(row.ended) ?? Date.now() })).sort((a, b) => a.from - b.from);
    const shown = ran.slice(0, MOST);
    if (shown.length === 0)
        return notice('Nothing has run.');
    const first = shown[0].from, last = shown.reduce((most, row) => Math.max(most, row.to), first + 1), lanes = [];
    for (const row of shown) {
        row.lane = lanes.findIndex(end => end <= row.from);
        row.lane = row.lane < 0 ? lanes.length : row.lane;
        lanes[row.lane] = row.to;
    }
    const W = 1200, height = lanes.length > 60 ? 6 : lanes.length > 20 ? 12 : 20, H = lanes.length * height, x = at => (at - first) / (last - first) * W;
    const marks = [0, 1, 2, 3, 4, 5, 6].map(i => first + (last - first) * i / 6);
    return html`<figure><figcaption>${ran.length > shown.length || !isAll ? `The first ${number(shown.length)} of ${number(ran.length)} attempts${isAll ? '' : ', of the actions that are defined first,'}` : plural(ran.length, 'attempt')} in ${plural(lanes.length, 'lane')}, over ${duration(last - first)}</figcaption>
        <div class="wide" role="region" aria-label="Timeline"><svg class="draw" viewBox="0 0 ${W} ${H + 22}" width=${W} height=${H + 22} role="img" aria-label="Timeline of ${ran.length} attempts">
        ${marks.map((at, i) => svg`<line class="grid" x1=${x(at)} x2=${x(at)} y1="0" y2=${H}></line>
            <text class="faint" x=${x(at)} y=${H + 16} text-anchor=${i === 0 ? 'start' : i === 6 ? 'end' : 'middle'}>${i === 0 ? clock(at) : `+${duration(at - first)}`}</text>`)}
        ${shown.map(row => svg`<rect class=${colourOf(states.get(row.id))} x=${x(row.from)} y=${row.lane * height + 1} height=${height - 2} width=${Math.max(1.5, x(row.to) - x(row.from))}><title>${shapeOf(states.get(row.id))} ${shortened(row.name)}: ${duration(row.to - row.from)}${row.node ? ` on ${shortened(row.node)}` : ''}, ${row.state}</title></rect>
            ${height >= 20 && x(row.to) - x(row.from) > 60 ? svg`<text class="inside" x=${x(row.from) + 4} y=${row.lane * height + 14}>${shortened(row.name).slice(0, Math.floor((x(row.to) - x(row.from)) / 8))}</text>` : nothing}`)}
        </svg></div></figure>`;
}
