/** SVG paths of the icons, drawn in a square of 24 × 24 units. */
const PATHS = {
  devices: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M11 18h2',
  sessions: 'M4 5h16v12H4zM8 21h8M10 9l4 2-4 2z',
  profile: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20c1-4 4-6 8-6s7 2 8 6',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c.6-4 3-6 6.500-6s5.900 2 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6.500M17.500 14.500c2.500.5 3.700 2.500 4 5.500',
  teams: 'M4 7h6v6H4zM14 7h6v6h-6zM9 16h6v5H9zM7 13v2.500h10V13',
  keys: 'M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 11h9M18 11v4M21 11v2.500',
  leases: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 2',
  agents: 'M6 9h12v10H6zM12 9V4M9.500 13v2M14.500 13v2M3 13v3M21 13v3',
  workloads: 'M4 12a8 8 0 0 1 14-5.300M20 12a8 8 0 0 1-14 5.300M18 3v4h-4M6 21v-4h4',
  nodes: 'M4 4h16v6H4zM4 14h16v6H4zM7 7h2M7 17h2',
  audit: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  check: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM8.500 12l2.500 2.500 4.500-5',
  settings:
    'M4 7h10M18 7h2M4 17h2M10 17h10M16 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M8 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5',
  access: 'M4 4h16v16H4zM4 10h16M10 4v16',
  reference: 'M4 5c3-1 6-1 8 1 2-2 5-2 8-1v14c-3-1-6-1-8 1-2-2-5-2-8-1zM12 6v14',
  apps: 'M12 3l8 4v10l-8 4-8-4V7zM4 7l8 4 8-4M12 11v10',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l4.500 4.500',
  down: 'M6 9l6 6 6-6',
  previous: 'M15 6l-6 6 6 6',
  next: 'M9 6l6 6-6 6',
  play: 'M8 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  stepBack: 'M6 5v14M18 5l-9 7 9 7z',
  stepOn: 'M18 5v14M6 5l9 7-9 7z',
  home: 'M4 11l8-7 8 7M6 10v10h12V10',
  back: 'M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3',
  enter: 'M20 5v8H6M10 9l-4 4 4 4',
  erase: 'M9 5h12v14H9l-6-7zM12 9l6 6M18 9l-6 6',
  louder: 'M4 9h4l5-4v14l-5-4H4zM17 9v6M14 12h6',
  quieter: 'M4 9h4l5-4v14l-5-4H4zM15 12h6',
  power: 'M12 3v9M7 6a8 8 0 1 0 10 0',
  up: 'M12 20V4M6 10l6-6 6 6',
  swipeDown: 'M12 4v16M6 14l6 6 6-6',
  left: 'M20 12H4M10 6l-6 6 6 6',
  right: 'M4 12h16M14 6l6 6-6 6',
  rotate: 'M20 8A8 8 0 1 0 20 15M20 3v5h-5',
  camera: 'M4 8h4l2-3h4l2 3h4v11H4zM12 16.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  list: 'M4 6h16M4 12h16M4 18h16',
  grid: 'M4 4h6.500v6.500H4zM13.500 4H20v6.500h-6.500zM4 13.500h6.500V20H4zM13.500 13.500H20V20h-6.500z',
} as const;

export type IconName = keyof typeof PATHS;

/** Renders an icon beside a word. Screen readers skip the icon, because the word says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
