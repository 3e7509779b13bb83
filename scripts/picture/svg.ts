import type { Span } from './screen.ts';

const COLOURS: Readonly<Record<number, string>> = {
  31: '#f47067',
  32: '#6bc46d',
  33: '#daaa3f',
  36: '#56d4dd',
};
const LINE = 20;
const CHARACTER = 8.43;
const MARGIN = 20;

/** Draws the lines of a terminal as a picture. */
export function drawTerminal(title: string, lines: readonly Span[][], columns: number): string {
  const height = lines.length * LINE + MARGIN * 2 + 24;
  const width = Math.ceil(columns * CHARACTER + MARGIN * 2);
  const rows = lines.map((line, index) => {
    const y = MARGIN + 24 + (index + 1) * LINE - 5;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${line.map(drawSpan).join('')}</text>`;
  });
  const dots = ['#f47067', '#daaa3f', '#6bc46d'].map(
    (colour, index) => `<circle cx="${MARGIN + 4 + index * 18}" cy="20" r="5.5" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#1c2128"/>`,
    ...dots,
    '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#cdd9e5">',
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawSpan({ text, codes }: Span): string {
  const colour = codes.map((code) => COLOURS[code]).find((each) => each !== undefined);
  const style = [
    colour ? `fill="${colour}"` : '',
    codes.includes(1) ? 'font-weight="bold"' : '',
    codes.includes(2) && !colour ? 'fill="#8b98a5"' : '',
    codes.includes(3) ? 'font-style="italic"' : '',
  ].filter((each) => each !== '');
  return `<tspan ${style.join(' ')}>${escaped(text)}</tspan>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
