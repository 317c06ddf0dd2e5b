// graph.js - groups of actions, as a drawing and as a table.
import { html, nothing, svg } from '../lib/lit-html.js';
import { name, table } from './parts.js';
import { duration, number, shortened } from './text.js';

/** Groups of actions, a column for each depth at which some begin, with a bar of their states. */
export function graph(groups) {
    if (groups.length === 0 || groups.length > 400)
        return nothing;
    const W = 190, H = 46, depths = [...new Set(groups.map(group => group.depth))].sort((a, b) => a - b), columns = depths.map(() => []);
    const at = groups.map(group => { const i = depths.indexOf(group.depth); return [i, columns[i].push(group.index) - 1]; });
    const place = new Map(groups.map((group, i) => [group.index, at[i]]));
    const x = index => place.get(index)[0] * (W + 50) + 4, y = index => place.get(index)[1] * (H + 16) + 4;
    const width = columns.length * (W + 50) - 42, height = Math.max(...columns.map(column => column.length)) * (H + 16) + 4;
    const parts = group => [['good', group.finished + group.reused], ['idle', group.skipped], ['bad', group.failed], ['busy', group.running], ['waiting', group.ready + group.waiting]];
    const counts = group => [['finished', group.finished], ['reused', group.reused], ['not needed', group.skipped], ['failed', group.failed], ['running', group.running], ['waiting', group.ready + group.waiting]]
        .filter(([, n]) => n > 0).map(([word, n]) => `${n} ${word}`).join(', ');
    return html`<div class="wide" role="region" aria-label="Graph of groups"><svg class="draw" viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="img" aria-label="Graph of ${groups.length} groups">
        ${groups.flatMap(group => group.parents.filter(({ group: parent }) => parent !== group.index).map(({ group: parent }) => svg`<path class="line" d="M${x(parent) + W} ${y(parent) + H / 2} C${x(parent) + W + 25} ${y(parent) + H / 2} ${x(group.index) - 25} ${y(group.index) + H / 2} ${x(group.index)} ${y(group.index) + H / 2}"></path>`))}
        ${groups.map(group => { let done = 0; return svg`<g><title>${shortened(group.name)}: ${counts(group)}</title><rect class="box" x=${x(group.index)} y=${y(group.index)} width=${W} height=${H} rx="4"></rect>
            <text x=${x(group.index) + 8} y=${y(group.index) + 18}>${shortened(group.name, 24)}</text><text class="faint" x=${x(group.index) + W - 8} y=${y(group.index) + 18} text-anchor="end">${group.actions}</text>
            ${parts(group).map(([colour, n]) => { const from = done; done += n; return n === 0 ? nothing : svg`<rect class=${colour} x=${x(group.index) + 8 + from / group.actions * (W - 16)} y=${y(group.index) + 28} width=${n / group.actions * (W - 16)} height="10"></rect>`; })}</g>`; })}
        </svg></div>
        ${table('Groups', [['Group', row => name(row.name)], ['Actions', row => number(row.actions), 'n'], ['States', row => counts(row)], ['Time', row => duration(row.wallMs), 'n']], groups)}`;
}
