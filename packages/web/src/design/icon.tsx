/** Our own pictograms: strokes on a grid of 24. */
const SHAPES = {
  add: 'M12 5v14M5 12h14',
  agent:
    'M8 8h8a3 3 0 0 1 3 3v5a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3v-5a3 3 0 0 1 3-3ZM12 8V4M9.5 13v1M14.5 13v1',
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
  arrowDown: 'M12 5v14M6 13l6 6 6-6',
  attach:
    'M20 11.5 12 19.5a5 5 0 0 1-7-7l8-8a3.3 3.3 0 0 1 4.7 4.7l-8 8a1.7 1.7 0 0 1-2.4-2.4l7.4-7.4',
  back: 'M19 12H5M11 6l-6 6 6 6',
  board: 'M4 5h4.5v14H4zM9.75 5h4.5v9h-4.5zM15.5 5H20v11h-4.5z',
  chain: 'M4 4.5h6.5v5H4zM13.5 14.5H20v5h-6.5zM7 9.5V13a4 4 0 0 0 4 4h2.5',
  check: 'M5 12.5 10 17.5 19.5 7',
  chevronDown: 'M6 9.5l6 6 6-6',
  chevronRight: 'M9.5 6l6 6-6 6',
  clock: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM12 8v4.5l3 2',
  close: 'M6 6l12 12M18 6 6 18',
  command: 'M5 7l5 5-5 5M12 17h7',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  edit: 'M5 19l1-4L16.5 4.5l3 3L9 18l-4 1ZM14 7l3 3',
  file: 'M7 3.5h7l4 4V20.5H7zM14 3.5V8h4',
  folder: 'M4 6.5h6l2 2.5h8v10H4z',
  fork: 'M7 4v16M17 4v2.5c0 4-10 3.5-10 8',
  gauge: 'M5 17a8 8 0 1 1 14 0M12 13l4-4',
  globe:
    'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM4 12h16M12 4c2.5 2.2 3.5 5 3.5 8s-1 5.8-3.5 8c-2.5-2.2-3.5-5-3.5-8S9.5 6.2 12 4Z',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.5 3h3l1.5-3h5',
  info: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM12 11v5M12 8v.5',
  key: 'M8.5 11a4 4 0 1 1 0 .01M12 13l7.5 7.5M16.5 17.5l2-2',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
  list: 'M8 6.5h12M8 12h12M8 17.5h12M4 6.5h.5M4 12h.5M4 17.5h.5',
  logout: 'M14 5H5v14h9M10 12h10M17 9l3 3-3 3',
  machine: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.5M7.5 16h.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5Z',
  more: 'M5.4 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0M11.4 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0M17.4 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0',
  plan: 'M4.5 7l1.5 1.5L8.5 6M4.5 15l1.5 1.5L8.5 14M12 7.5h8M12 15.5h8',
  play: 'M8 5.5v13l10-6.5z',
  plug: 'M9 4v5M15 4v5M6.5 9h11v3a5.5 5.5 0 0 1-11 0zM12 17.5V21',
  queue: 'M4 6.5h16M4 12h10M4 17.5h10M17 14.5l3 2.5-3 2.5z',
  question:
    'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM9.8 9.8a2.3 2.3 0 1 1 3.3 2.2c-.8.4-1.1.8-1.1 1.6M12 16.2v.1',
  retry: 'M5 12a7 7 0 1 0 2.3-5.2L5 9M5 4.5V9h4.5',
  search: 'M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12ZM15 15l4.5 4.5',
  send: 'M5 12h13M12 6l6 6-6 6',
  settings: 'M5 7h8M17 7h2M5 17h2M11 17h8M15 5v4M9 15v4',
  shield: 'M12 4l7 2.5V12c0 4-3 6.8-7 8-4-1.2-7-4-7-8V6.5z',
  stop: 'M7.5 7.5h9v9h-9z',
  sun: 'M12 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM12 3.5v1.5M12 19v1.5M3.5 12H5M19 12h1.5M6 6l1 1M17 17l1 1M18 6l-1 1M7 17l-1 1',
  thinking: 'M12 4.5a6 6 0 0 1 3.5 10.9V17h-7v-1.6A6 6 0 0 1 12 4.5ZM9.5 20h5',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13',
  unarchive: 'M4 5h16v4H4zM6 9v10h12V9M12 17v-5M9.5 14.2 12 11.7l2.5 2.5',
  usage: 'M5 19V10M10 19V5M15 19v-7M20 19v-4',
  user: 'M12 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM5 20c.5-4 3.5-5.5 7-5.5s6.5 1.5 7 5.5',
  warning: 'M12 5l8 14H4zM12 10.5v3.5M12 16.5v.1',
} as const;

export type IconName = keyof typeof SHAPES;

/** A pictogram beside words; it says nothing to screen readers, the words do. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      // In a row of flexible things a pictogram keeps its size.
      style={{ flex: 'none' }}
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
