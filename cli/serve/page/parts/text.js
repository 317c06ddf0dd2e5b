// text.js - numbers, sizes, durations and times as people read them.

const SIZES = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** Bytes in SI units. */
export function size(bytes) {
    if (bytes === null || bytes === undefined || bytes < 0)
        return '-';
    if (bytes < 1000)
        return `${Math.round(bytes)} B`;
    let unit = 0;
    for (bytes /= 1000; bytes >= 999.5 && unit < SIZES.length - 1; unit++)
        bytes /= 1000;
    return `${bytes.toFixed(bytes < 99.95 ? 1 : 0)} ${SIZES[unit]}`;
}

const two = n => String(Math.floor(n)).padStart(2, '0');

/** Milliseconds as the largest two units. */
export function duration(ms) {
    if (ms === null || ms === undefined || ms < 0)
        return '-';
    const s = Math.floor((ms + 500) / 1000);
    if (ms < 1000)
        return `${Math.round(ms)} ms`;
    if (ms < 59950)
        return `${(ms / 1000).toFixed(1)} s`;
    if (s < 3600)
        return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
    if (s < 86400)
        return `${Math.floor(s / 3600)} h ${two(s / 60 % 60)} min`;
    return `${Math.floor(s / 86400)} d ${two(s / 3600 % 24)} h`;
}

export const number = n => n === null || n === undefined ? '-' : n.toLocaleString('en');
export const percent = share => Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : '-';
export const plural = (n, what) => `${number(n)} ${what}${n === 1 ? '' : 's'}`;
export const sum = (rows, key) => rows.reduce((all, row) => all + (row[key] || 0), 0);
export const ms = time => time ? Date.parse(time) : null;

const today = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const other = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time of RFC 3339 as the clock here has it. */
export function clock(time) {
    const at = new Date(time);
    return at.toDateString() === new Date().toDateString() ? today.format(at) : other.format(at);
}

/** Any text may come from anybody: what is no character of a line is shown as such. */
export const clean = text => String(text ?? '').replace(/[^\P{Cc}\t\n]/gu, '\ufffd');
/** At most so many characters of it. */
export const shortened = (text, most = 40) => { const all = [...clean(text)]; return all.length > most ? `${all.slice(0, most - 1).join('')}…` : all.join(''); };

/** Can a request tell this text? An address of 8 KiB is the longest. */
export const canBeTold = text => encodeURIComponent(text).length <= 4000;
