import type { StepStatus } from '@baton/protocol';

export type StatusLook = { words: string; tone: 'good' | 'warn' | 'bad' | 'info' | 'muted' };

/** Label and color of each status; color is never the only indicator. */
export const STATUS_LOOKS: Readonly<Record<StepStatus, StatusLook>> = {
  running: { words: 'Running', tone: 'info' },
  awaiting_approval: { words: 'Needs input', tone: 'warn' },
  interrupted: { words: 'Interrupted', tone: 'warn' },
  done: { words: 'Done', tone: 'good' },
  failed: { words: 'Failed', tone: 'bad' },
  timed_out: { words: 'Timed out', tone: 'bad' },
  cancelled: { words: 'Stopped', tone: 'muted' },
  skipped: { words: 'Skipped', tone: 'muted' },
};

const LIGHT = {
  ground: '#ffffff',
  box: '#ffffff',
  nested: 'rgb(29 30 34 / 3%)',
  line: '#c9c9c2',
  ink: '#1d1e22',
  soft: '#676971',
  good: '#1a7148',
  'good-box': '#e3f3ea',
  warn: '#8a5600',
  'warn-box': '#fbf0d9',
  bad: '#b3261e',
  'bad-box': '#fbe9e7',
  info: '#1d5fa8',
  'info-box': '#e5eff9',
  muted: '#676971',
  'muted-box': '#f1f1ee',
};

const DARK: typeof LIGHT = {
  ground: '#18191c',
  box: '#222327',
  nested: 'rgb(255 255 255 / 4%)',
  line: '#4b4d54',
  ink: '#ececea',
  soft: '#a3a5ab',
  good: '#63c793',
  'good-box': '#1b3527',
  warn: '#e2b15a',
  'warn-box': '#3a2e15',
  bad: '#f2857c',
  'bad-box': '#43211f',
  info: '#7db4ee',
  'info-box': '#1b2f45',
  muted: '#a3a5ab',
  'muted-box': '#2a2b30',
};

const TONES = ['good', 'warn', 'bad', 'info', 'muted'];

/** The styles of a graph, under a class of its own: a page may contain the picture as a part of itself. */
export const STYLE = [
  `.baton-chain{${variables(LIGHT)}}`,
  `@media (prefers-color-scheme:dark){.baton-chain{${variables(DARK)}}}`,
  '.baton-chain text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;font-size:12px;fill:var(--soft)}',
  '.baton-chain .title{font-size:13px;font-weight:600;fill:var(--ink)}',
  '.baton-chain .condition{font-size:11px;font-style:italic}',
  '.baton-chain .status{font-size:11px;font-weight:600}',
  '.baton-chain .ground{fill:var(--ground)}',
  '.baton-chain .box{fill:var(--box);stroke:var(--line)}',
  '.baton-chain .nested{fill:var(--nested);stroke:var(--line)}',
  '.baton-chain .approval{stroke-dasharray:5 3}',
  '.baton-chain .arrow{fill:none;stroke:var(--soft);stroke-width:1.5}',
  '.baton-chain .head{fill:var(--soft)}',
  '.baton-chain .pill{fill:var(--ground);stroke:var(--line)}',
  ...TONES.map(
    (tone) =>
      `.baton-chain .${tone}>.box{fill:var(--${tone}-box);stroke:var(--${tone})}` +
      `.baton-chain .${tone}>.nested{stroke:var(--${tone})}` +
      `.baton-chain .${tone}>.status{fill:var(--${tone})}`,
  ),
].join('\n');

function variables(colors: Readonly<Record<string, string>>): string {
  return Object.entries(colors)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}
