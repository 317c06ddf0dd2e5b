// rules.js - what ESLint looks for in the page's modules and in the scripts that test it: faults, and nothing that only restyles.
'use strict';

const names = words => Object.fromEntries(words.split(' ').map(word => [word, 'readonly']));
const both = names('AbortController AbortSignal Blob BroadcastChannel clearTimeout console fetch performance queueMicrotask setTimeout TextDecoderStream URL URLSearchParams');
const browser = names('confirm document Event FormData getComputedStyle history innerWidth Intl location MutationObserver navigator requestAnimationFrame ResizeObserver scrollTo sessionStorage window');
const node = names('__dirname Buffer exports module process require');

const faults = {
    'array-callback-return': ['error', { checkForEach: false }],
    'consistent-return': 'error',
    'default-case-last': 'error',
    'eqeqeq': 'error',
    'no-constructor-return': 'error',
    'no-eval': 'error',
    'no-extend-native': 'error',
    'no-implied-eval': 'error',
    'no-new-func': 'error',
    'no-new-wrappers': 'error',
    'no-script-url': 'error',
    'no-self-compare': 'error',
    'no-shadow': 'error',
    'no-template-curly-in-string': 'error',
    'no-throw-literal': 'error',
    'no-unreachable-loop': 'error',
    'no-use-before-define': ['error', { functions: false, variables: false }],
    'no-unused-vars': ['error', { ignoreRestSiblings: true }],
    'no-var': 'error',
    'prefer-promise-reject-errors': 'error',
    'radix': 'error',
};

/** No text becomes markup, whoever chose it: the one way into the document is a template of lit-html. */
const markup = {
    'no-restricted-properties': ['error', ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'writeln', 'createContextualFragment', 'setHTMLUnsafe'].map(property =>
        ({ property, message: 'Text is not markup.' }))],
    'no-restricted-imports': ['error', { patterns: [{ group: ['*unsafe*'], message: 'Text is not markup.' }] }],
};

/** The configuration of ESLint; recommended: the rules that it recommends itself. */
exports.rules = recommended => [
    { linterOptions: { reportUnusedDisableDirectives: 'error' }, rules: { ...recommended, ...faults } },
    { files: ['cli/serve/page/**/*.js'], languageOptions: { sourceType: 'module', globals: { ...both, ...browser } }, rules: markup },
    // What is handed to the browser stands in the same files.
    { files: ['test/page/*.js', 'test/page/*.t', 'test/page/shots'], languageOptions: { sourceType: 'commonjs', globals: { ...both, ...browser, ...node } } },
];
