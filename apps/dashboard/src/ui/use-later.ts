import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Loads a component when `isNeeded` becomes true, so that the page itself loads faster. Returns undefined until the
 * component is loaded.
 */
export function useLater<Component>(
  isNeeded: boolean,
  load: () => Promise<Component>,
): Component | undefined {
  const [component, setComponent] = useState<Component>();
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (isNeeded) void latest.current().then((loaded) => setComponent(() => loaded));
  }, [isNeeded]);
  return component;
}
