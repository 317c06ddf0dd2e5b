// matrix.js - every action of a workflow as a cell of one picture: by depth from left to right, drawn as its state is.
//
// 100,000 cells are one canvas; what one of them is, is told in words below it, to the pointer and to the keyboard.
import { html } from '../lib/lit-html.js';
import { number } from './text.js';

/** By the letters of GET /v1/workflows/N/states: word, colour of the style, shape. */
const LETTERS = {
    X: ['failed', 'bad', '✗'], K: ['ended', 'bad', '⊘'], C: ['cancelled', 'bad', '⊝'], R: ['running', 'busy', '▶'], s: ['handed out', 'busy', '▷'], p: ['claimed', 'busy', '▷'],
    r: ['ready', 'wait', '◆'], w: ['waiting', 'wait', '◇'], c: ['to be computed', 'wait', '◇'], F: ['finished', 'good', '✓'], '=': ['reused', 'good', '↺'], '+': ['joined', 'good', '⇉'],
    '-': ['not needed', 'idle', '·'], '?': ['unknown', 'idle', '?'],
};
/** Those of the states that GET /v1/events tells. */
const OF_STATE = { WAITING: 'w', READY: 'r', PROCESSING: 'p', SUBMITTED: 's', RUNNING: 'R', FINISHED: 'F', FAILED: 'X', KILLED: 'K', CANCELLED: 'C' };
const SIZES = [16, 12, 10, 8, 6, 5, 4, 3, 2, 1];
const HEIGHT = 420;
let serial = 0;

export class Matrix {
    /** shape: { states, ids, depths }; open(id) is called for the cell that is chosen; name: how the canvas is called. */
    constructor(shape, open) {
        Object.assign(this, { open, ids: shape.ids, depths: shape.depths, letters: [...shape.states], at: -1, id: `matrix-${++serial}` });
        this.position = new Map(shape.ids.map((id, i) => [id, i]));
    }

    /** All states anew. */
    renew(states) {
        this.letters = [...states];
        this.draw();
    }
    /** One that changed, as an event says. */
    change(id, state) {
        const i = this.position.get(id), letter = OF_STATE[state];
        if (i === undefined || !letter || this.letters[i] === letter)
            return;
        this.letters[i] = letter;
        this.later();
    }
    later() {
        this.stale ??= requestAnimationFrame(() => { this.stale = undefined; this.draw(); });
    }

    /** Where each cell is: as large as they may be in this width; a column, or some, for each depth. */
    place(width) {
        const byDepth = [];
        this.depths.forEach((depth, i) => (byDepth[depth] ??= []).push(i));
        const blocks = byDepth.length <= width ? byDepth.filter(Boolean) : [this.ids.map((id, i) => i).sort((a, b) => this.depths[a] - this.depths[b])];
        const columnsOf = (rows, gap) => blocks.reduce((sum, block) => sum + Math.ceil(block.length / rows) + gap, -gap);
        let size, rows, gap;
        for (size of SIZES) {
            gap = size >= 4 && blocks.length * 2 < width / size ? 1 : 0;
            rows = Math.floor(HEIGHT / size);
            if (columnsOf(rows, gap) * size <= width)
                break;
        }
        while (columnsOf(rows, gap) * size > width)
            rows = Math.ceil(rows * 1.2);
        rows = Math.min(rows, Math.max(1, ...blocks.map(block => block.length)));
        Object.assign(this, { size, rows, width: columnsOf(rows, gap) });
        this.grid = new Int32Array(this.width * rows).fill(-1);
        this.cell = new Uint32Array(this.ids.length);
        let column = 0;
        for (const block of blocks) {
            block.forEach((i, n) => {
                this.cell[i] = (column + Math.floor(n / rows)) * rows + n % rows;
                this.grid[this.cell[i]] = i;
            });
            column += Math.ceil(block.length / rows) + gap;
        }
    }

    draw() {
        const canvas = document.getElementById(this.id);
        if (!canvas)
            return;
        const room = () => Math.max(240, (canvas.parentElement?.clientWidth ?? 0) - 2);
        if (this.canvas !== canvas)
            new ResizeObserver(() => room() === this.room || this.later()).observe(canvas.parentElement);
        if (this.canvas !== canvas || this.room !== room()) {
            Object.assign(this, { canvas, room: room() });
            this.place(this.room);
            canvas.width = this.width * this.size;
            canvas.height = this.rows * this.size;
        }
        const context = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
        const { size, rows } = this, inner = size > 3 ? size - 1 : size;
        context.clearRect(0, 0, canvas.width, canvas.height);
        const of = {};
        this.letters.forEach((letter, i) => (of[letter] ??= []).push(i));
        for (const [letter, cells] of Object.entries(of)) {
            const [, colour] = LETTERS[letter] || LETTERS['?'];
            context.fillStyle = style.getPropertyValue(`--${colour}`).trim();
            for (const i of cells)
                this.shape(context, letter, Math.floor(this.cell[i] / rows) * size, this.cell[i] % rows * size, inner);
        }
        if (this.at >= 0) {
            context.strokeStyle = style.getPropertyValue('--ink').trim();
            context.lineWidth = 2;
            context.strokeRect(Math.floor(this.cell[this.at] / rows) * size - 1, this.cell[this.at] % rows * size - 1, inner + 2, inner + 2);
        }
        this.tell(of);
    }
    /** Not by colour alone: what is done is full, what failed is crossed, what runs has a hole, what waits is low, what was reused is half. */
    shape(context, letter, x, y, size) {
        const third = Math.max(1, Math.floor(size / 3)), half = Math.max(1, Math.floor(size / 2));
        if (size < 4 || 'F'.includes(letter))
            context.fillRect(x, y, size, size);
        else if ('=+'.includes(letter))
            context.fillRect(x, y, half, size);
        else if ('-?'.includes(letter))
            context.fillRect(x + third, y + third, Math.max(1, size - 2 * third), Math.max(1, size - 2 * third));
        else if ('wrc'.includes(letter))
            context.fillRect(x, y + size - third, size, third);
        else {
            context.fillRect(x, y, size, size);
            if ('XKC'.includes(letter))
                for (let i = third - 1; i <= size - third; i++) { // an X
                    context.clearRect(x + i, y + i, 1, 1);
                    context.clearRect(x + size - 1 - i, y + i, 1, 1);
                }
            else
                context.clearRect(x + third, y + third, size - 2 * third, size - 2 * third);
        }
    }

    /** Counts in words, and the cell that is pointed at. */
    tell(of) {
        const words = Object.keys(LETTERS).filter(letter => of[letter]).map(letter => `${LETTERS[letter][2]} ${number(of[letter].length)} ${LETTERS[letter][0]}`).join(', ');
        const legend = document.getElementById(`${this.id}-legend`);
        if (legend && legend.textContent !== words)
            legend.textContent = words;
        const cell = document.getElementById(`${this.id}-cell`);
        if (cell)
            cell.textContent = this.at < 0 ? 'Point at a cell, or move with the arrow keys; Enter opens the action, n goes to the next that failed.'
                : `Action ${this.ids[this.at]}: ${(LETTERS[this.letters[this.at]] || LETTERS['?'])[0]}, depth ${this.depths[this.at]}`;
    }

    point(event) {
        const box = this.canvas.getBoundingClientRect(), scale = this.canvas.width / box.width;
        const x = Math.floor((event.clientX - box.left) * scale / this.size), y = Math.floor((event.clientY - box.top) * scale / this.size);
        return x < 0 || y < 0 || x >= this.width || y >= this.rows ? -1 : this.grid[x * this.rows + y];
    }
    move(at) {
        if (at === this.at || at < 0)
            return;
        this.at = at;
        this.draw();
    }
    key(event) {
        const step = { ArrowRight: this.rows, ArrowLeft: -this.rows, ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
            let cell = (this.at < 0 ? this.cell[0] - step : this.cell[this.at]) + step;
            for (; cell >= 0 && cell < this.grid.length && this.grid[cell] < 0; cell += step)
                continue;
            this.move(this.grid[cell] ?? -1);
        } else if (event.key === 'Enter' && this.at >= 0)
            this.open(this.ids[this.at]);
        else if (event.key === 'n') {
            const next = this.letters.findIndex((letter, i) => letter === 'X' && i > this.at);
            this.move(next < 0 ? this.letters.indexOf('X') : next);
        } else
            return;
        event.preventDefault();
    }

    template() {
        queueMicrotask(() => this.draw());
        return html`<p id="${this.id}-legend" class="small"></p>
            <div class="wide"><canvas id=${this.id} class="matrix" tabindex="0" role="application" aria-label="All actions, a cell each" aria-describedby="${this.id}-legend ${this.id}-cell"
                @pointermove=${event => this.move(this.point(event))} @click=${event => { const i = this.point(event); if (i >= 0) this.open(this.ids[i]); }} @keydown=${event => this.key(event)}></canvas></div>
            <p id="${this.id}-cell" class="faint" role="status"></p>`;
    }
}
