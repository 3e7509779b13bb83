import type { IconName } from '../design/icon.tsx';

/** A view that the navigation leads to. */
export type Place = {
  path: string;
  label: string;
  icon: IconName;
  /** The key behind `g` that leads there. */
  key: string;
  /** Kept in the bar at the bottom of a phone; the others are behind its menu. */
  isMain?: boolean;
};

/** What people do all day, and what they set up once. */
export const PLACES: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Work',
    places: [
      { path: '/', label: 'New task', icon: 'add', key: 'n', isMain: true },
      { path: '/board', label: 'Board', icon: 'board', key: 'b', isMain: true },
      { path: '/inbox', label: 'Inbox', icon: 'inbox', key: 'i', isMain: true },
    ],
  },
  {
    title: 'Set up',
    places: [
      { path: '/agents', label: 'Agents', icon: 'agent', key: 'a' },
      { path: '/machines', label: 'Machines', icon: 'machine', key: 'm' },
      { path: '/usage', label: 'Usage', icon: 'usage', key: 'u' },
      { path: '/settings', label: 'Settings', icon: 'settings', key: 's' },
    ],
  },
];

/** All of them, one after another. */
export const ALL_PLACES: readonly Place[] = PLACES.flatMap(({ places }) => places);
