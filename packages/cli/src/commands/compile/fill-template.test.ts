import { expect, test } from 'vitest';
import { fillTemplate, TEMPLATE_SLOT } from './fill-template.ts';

test('passes the agent and its files to the program, whatever they contain', () => {
  const files = { './prompt.md': '$& $` */ </script> \\ — 世界 🎼\u2028' };
  const template = `return ((agent, files) => {
    const module = { exports: {} };
    agent(module.exports, null, module);
    return [module.exports.text, files];
  })(${TEMPLATE_SLOT});`;
  const code = `exports.text = "$& $1 — ü";`;
  const program = fillTemplate(template, code, files);
  expect(new Function(program)()).toEqual(['$& $1 — ü', files]);
});
