// page.js PAGE - what a browser makes of a page that draws itself, as HTML; for the tests of --html.
// Knows of a document what the page uses, and nothing that reaches out of it.
'use strict';
const fs = require('fs');
const vm = require('vm');

const escape = text => text.replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');

class Element {
    constructor(name, space) {
        this.name = name;
        this.namespaceURI = space;
        this.attributes = new Map();
        this.children = [];
        this.textContent = '';
    }
    setAttribute(key, value) {
        if (/NaN|undefined|Infinity/.test(value))
            throw new Error(`${this.name}: ${key} is ${value}`);
        this.attributes.set(key, String(value));
    }
    appendChild(child) {
        this.children.push(child);
        return child;
    }
    toString() {
        const attributes = [...this.attributes].map(([key, value]) => ` ${key}="${escape(value)}"`).join('');
        const inside = this.children.length ? this.children.join('') : escape(this.textContent);
        return `<${this.name}${attributes}>${inside}</${this.name}>` + (this.namespaceURI === 'svg' ? '' : '\n');
    }
}

const page = fs.readFileSync(process.argv[2], 'utf8');
const scripts = [...page.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
const data = new Element('script', 'html'), body = new Element('body', 'html');
if (scripts.length !== 2 || !scripts[0][1].includes('id="data"') || page.includes('@DATA@'))
    throw new Error('the page has not its two scripts');
data.textContent = scripts[0][2];
const ids = {data, svg: new Element('svg', 'svg')};
const document = {
    body,
    title: '',
    getElementById: id => ids[id],
    createElement: name => new Element(name, 'html'),
    createElementNS: (space, name) => new Element(name, space)
};
vm.runInNewContext(scripts[1][2], {document}, {timeout: 20000});
process.stdout.write(`<title>${escape(document.title)}</title>\n${body}`);
