import type { OutlineStep, StepStatus } from '@baton/protocol';
import { labelsOf } from './step-labels.ts';
import { STATUS_LOOKS, STYLE, type StatusLook } from './svg-style.ts';

/** Statuses by the path of a step, such as `fix#2/test`. */
export type StepStatuses = ReadonlyMap<string, StepStatus>;

/** A part of the picture that knows its size before its place. */
type Block = {
  width: number;
  height: number;
  /** From the top of the block to the top of its box; the condition is between them. */
  head: number;
  draw(x: number, y: number): string;
};

const GAP = 28;
const MARGIN = 16;
const PADDING = 16;
const HEADER = 34;
const BOX = { height: 52, least: 140 };
const CONDITION = { height: 20, gap: 8 };
/** The space beside a loop for the arrow back. */
const WAY_BACK = 22;
/** Steps side by side; more begin another row. */
const COLUMNS = 4;

/** The steps of a chain as a picture; with statuses it shows how far a run has come. */
export function svgOf(outline: readonly OutlineStep[], statuses?: StepStatuses): string {
  const all = column(outline.map((step) => blockOf(step, '', statuses)));
  const width = Math.ceil(all.width + 2 * MARGIN);
  const height = Math.ceil(all.height + 2 * MARGIN);
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="baton-chain" role="img" aria-label="Steps of the chain" ${size}>`,
    `<style>\n${STYLE}\n</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    all.draw(MARGIN, MARGIN),
    '</svg>\n',
  ].join('\n');
}

function blockOf(step: OutlineStep, above: string, statuses: StepStatuses | undefined): Block {
  const path = `${above}${step.id}`;
  const status = statuses && statusAt(path, statuses);
  const look = status && STATUS_LOOKS[status];
  const block = step.steps
    ? container(
        step,
        step.steps.map((each) => blockOf(each, `${path}/`, statuses)),
        look,
      )
    : leaf(step, look);
  return withCondition(block, labelsOf(step).condition);
}

/** A step has one place in the picture, however often it ran: it shows what is active, or else what happened last. */
function statusAt(path: string, statuses: StepStatuses): StepStatus | undefined {
  const own = statuses.get(path);
  if (own !== undefined) return own;
  const all = [...statuses].flatMap(([each, status]) =>
    each.replaceAll(/#\d+/g, '') === path ? [status] : [],
  );
  return all.find((status) => status === 'awaiting_approval' || status === 'running') ?? all.at(-1);
}

function leaf(step: OutlineStep, look: StatusLook | undefined): Block {
  const { title, detail } = labelsOf(step);
  const words = Math.max(headerWidth(title, look), textWidth(detail, 12));
  const width = Math.max(BOX.least, words + 2 * PADDING);
  return {
    width,
    height: BOX.height,
    head: 0,
    draw: (x, y) =>
      group(look, [
        `<rect class="box ${step.kind}" ${area(x, y, width, BOX.height)} rx="${step.kind === 'approval' ? 26 : 8}"/>`,
        ...(look ? [text('status', x + width - PADDING, y + 22, look.words, 'end')] : []),
        text('title', x + PADDING, y + 22, title),
        text('detail', x + PADDING, y + 40, detail),
      ]),
  };
}

function container(step: OutlineStep, inside: Block[], look: StatusLook | undefined): Block {
  const { title, detail } = labelsOf(step);
  const body = step.kind === 'parallel' ? rows(inside) : column(inside);
  const back = step.kind === 'loop' ? WAY_BACK : 0;
  const words = headerWidth(title, look) + 10 + textWidth(detail, 12);
  const width = Math.max(body.width + 2 * back, words) + 2 * PADDING;
  const height = HEADER + body.height + PADDING;
  return {
    width,
    height,
    head: 0,
    draw: (x, y) => {
      const left = x + (width - body.width) / 2;
      return group(look, [
        `<rect class="nested" ${area(x, y, width, height)} rx="12"/>`,
        ...(look ? [text('status', x + width - PADDING, y + 22, look.words, 'end')] : []),
        `<text x="${n(x + PADDING)}" y="${n(y + 22)}"><tspan class="title">${escaped(title)}</tspan><tspan dx="8">${escaped(detail)}</tspan></text>`,
        body.draw(left, y + HEADER),
        ...(back > 0 ? [wayBack(inside, left + body.width / 2, y + HEADER, body)] : []),
      ]);
    },
  };
}

/** Blocks from top to bottom, with arrows. */
function column(blocks: readonly Block[]): Block {
  const width = Math.max(0, ...blocks.map((block) => block.width));
  const height = sum(blocks.map((block) => block.height)) + GAP * Math.max(0, blocks.length - 1);
  return {
    width,
    height,
    head: blocks[0]?.head ?? 0,
    draw: (x, y) => {
      const middle = x + width / 2;
      let top = y;
      return blocks
        .map((block, index) => {
          const at = top;
          top += block.height + GAP;
          // The arrow is below the condition, which it passes through.
          const from = index === 0 ? at : at - GAP;
          const line = index === 0 && block.head === 0 ? '' : arrow(middle, from, at + block.head);
          return line + block.draw(middle - block.width / 2, at);
        })
        .join('\n');
    },
  };
}

/** Blocks side by side; their boxes begin on one line. */
function rows(blocks: readonly Block[]): Block {
  const lines: Block[][] = [];
  for (let index = 0; index < blocks.length; index += COLUMNS) {
    lines.push(blocks.slice(index, index + COLUMNS));
  }
  const all = lines.map(row);
  const width = Math.max(0, ...all.map((line) => line.width));
  const height = sum(all.map((line) => line.height)) + PADDING * (all.length - 1);
  return {
    width,
    height,
    head: 0,
    draw: (x, y) => {
      let top = y;
      return all
        .map((line) => {
          const drawn = line.draw(x + (width - line.width) / 2, top);
          top += line.height + PADDING;
          return drawn;
        })
        .join('\n');
    },
  };
}

function row(blocks: readonly Block[]): Block {
  const head = Math.max(0, ...blocks.map((block) => block.head));
  const width = sum(blocks.map((block) => block.width)) + PADDING * (blocks.length - 1);
  const height = Math.max(0, ...blocks.map((block) => head - block.head + block.height));
  return {
    width,
    height,
    head,
    draw: (x, y) => {
      let left = x;
      return blocks
        .map((block) => {
          const drawn = block.draw(left, y + head - block.head);
          left += block.width + PADDING;
          return drawn;
        })
        .join('\n');
    },
  };
}

/** A block with its condition above it. */
function withCondition(block: Block, condition: string | undefined): Block {
  if (condition === undefined) return block;
  const words = textWidth(condition, 11) + 20;
  const width = Math.max(block.width, words);
  const head = CONDITION.height + CONDITION.gap;
  return {
    width,
    height: block.height + head,
    head,
    draw: (x, y) => {
      const middle = x + width / 2;
      return [
        `<rect class="pill" ${area(middle - words / 2, y, words, CONDITION.height)} rx="10"/>`,
        text('condition', middle, y + 14, condition, 'middle'),
        block.draw(middle - block.width / 2, y + head),
      ].join('\n');
    },
  };
}

/** From the last step of a loop to its first. */
function wayBack(inside: readonly Block[], middle: number, top: number, body: Block): string {
  const first = inside[0];
  const last = inside.at(-1);
  if (!first || !last) return '';
  const down = top + body.height - (last.height - last.head) / 2;
  const up = top + first.head + Math.min(first.height - first.head, BOX.height) / 2;
  const side = middle + body.width / 2 + WAY_BACK - 6;
  const start = middle + last.width / 2;
  const end = middle + first.width / 2;
  // A single step returns to itself.
  const [from, to] = first === last ? [down + 12, up - 12] : [down, up];
  const line = `M${n(start)} ${n(from)}H${n(side - 8)}q8 0 8 -8V${n(to + 8)}q0 -8 -8 -8H${n(end + 6)}`;
  return `<path class="arrow" d="${line}"/><path class="head" d="M${n(end)} ${n(to)}l8 -4.5v9z"/>`;
}

function arrow(x: number, from: number, to: number): string {
  const line = `<path class="arrow" d="M${n(x)} ${n(from)}V${n(to - 6)}"/>`;
  return `${line}<path class="head" d="M${n(x)} ${n(to)}l-4.5 -8h9z"/>\n`;
}

function group(look: StatusLook | undefined, parts: readonly string[]): string {
  const inside = parts.join('\n');
  return look ? `<g class="${look.tone}">\n${inside}\n</g>` : `<g>\n${inside}\n</g>`;
}

function text(
  name: string,
  x: number,
  y: number,
  words: string,
  anchor?: 'middle' | 'end',
): string {
  const place = `x="${n(x)}" y="${n(y)}"${anchor ? ` text-anchor="${anchor}"` : ''}`;
  return `<text class="${name}" ${place}>${escaped(words)}</text>`;
}

function area(x: number, y: number, width: number, height: number): string {
  return `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"`;
}

function headerWidth(title: string, look: StatusLook | undefined): number {
  return textWidth(title, 14) + (look ? textWidth(look.words, 11) + 14 : 0);
}

/** An estimate for any font; a bit too wide is better than too narrow. */
function textWidth(words: string, size: number): number {
  const wide = [...words].filter((each) => (each.codePointAt(0) ?? 0) >= 0x2e80).length;
  return ([...words].length + wide * 0.8) * size * 0.58;
}

/** XML cannot contain control characters, not even as entities. */
function escaped(words: string): string {
  return words
    .toWellFormed()
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** A number with at most one decimal. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
