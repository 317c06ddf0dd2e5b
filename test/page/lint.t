#!/usr/bin/env node
// ESLint finds no fault in the page's modules and in the scripts that test it; it would find those that it is there for.
'use strict';
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');
const { is, ok, root, run, tools } = require('./harness');
const { rules } = require('./rules');

/** Every file below a folder. */
const below = folder => fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap(one =>
    one.isDirectory() ? below(path.join(folder, one.name)) : [path.join(folder, one.name)]);
const isScript = file => file.endsWith('.js') || /^#!.*node\b/.test(fs.readFileSync(path.join(root, file), 'utf8').slice(0, 80));

run(async () => {
    const need = createRequire(path.join(tools, 'x')), { ESLint } = need('eslint'), { configs } = createRequire(need.resolve('eslint'))('@eslint/js');
    const eslint = new ESLint({ cwd: root, overrideConfigFile: true, overrideConfig: rules(configs.recommended.rules), ignore: false });
    const said = results => results.flatMap(({ filePath, messages }) => messages.map(one => `${path.relative(root, filePath)}:${one.line}: ${one.message} (${one.ruleId})`));

    const files = ['cli/serve/page', 'test/page'].flatMap(below).filter(isScript);
    ok(files.includes('cli/serve/page/views/pool.js') && files.includes('test/page/lint.t') && files.includes('test/page/shots'), 'there are scripts', files);
    for (const file of files)
        is(said(await eslint.lintText(fs.readFileSync(path.join(root, file), 'utf8'), { filePath: path.join(root, file) })), [], file);

    for (const [rule, text] of [['no-unused-vars', 'const a = 1;'], ['no-undef', 'there(1);'], ['no-shadow', 'export const a = b => { const a = b; return a; };'],
        ['no-restricted-properties', 'document.body.innerHTML = location.hash;'], ['eqeqeq', 'export const a = b => b == 1;'], ['consistent-return', 'export function a(b) { if (b) return 1; }']])
        ok((await eslint.lintText(text, { filePath: path.join(root, 'cli/serve/page/x.js') }))[0].messages.some(one => one.ruleId === rule), `${rule} is noticed`);
}, 'eslint');
