import { useEffect, useRef, useState } from 'preact/hooks';
import { sendFile } from './send-file.ts';

/** A file that is being uploaded, waits for its turn, or could not be uploaded. */
export interface Upload {
  readonly key: number;
  readonly file: File;
  /** Number of bytes that were sent. */
  readonly sent: number;
  /** Why the upload failed, or undefined if it has not failed. */
  readonly problem?: unknown;
}

interface Uploads {
  readonly uploads: readonly Upload[];
  add(files: readonly File[]): void;
  /** Stops an upload and removes it from the list. */
  cancel(key: number): void;
}

/**
 * Uploads files to the app library one at a time, because the server allows only a few uploads at the same time. While
 * files are being uploaded, the browser asks for confirmation before it leaves the page, because leaving stops the
 * uploads.
 */
export function useUploads(onUploaded: (name: string) => void): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const lastKey = useRef(0);
  const running = useRef<{ readonly key: number; readonly stop: AbortController }>(undefined);
  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  const drop = (key: number) => setUploads((all) => all.filter((each) => each.key !== key));

  const next = uploads.find(({ problem }) => problem === undefined);
  useEffect(() => {
    if (next === undefined || running.current !== undefined) return;
    const { key, file } = next;
    const stop = new AbortController();
    running.current = { key, stop };
    const end = (act: () => void) => {
      running.current = undefined;
      act();
    };
    sendFile(file, (sent) => change(key, { sent }), stop.signal).then(
      () =>
        end(() => {
          drop(key);
          onUploaded(file.name);
        }),
      (problem: unknown) => end(() => (stop.signal.aborted ? drop(key) : change(key, { problem }))),
    );
  }, [next?.key]);
  useEffect(() => {
    if (next === undefined) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [next === undefined]);
  useEffect(() => () => running.current?.stop.abort(), []);

  const add = (files: readonly File[]) => {
    const added = files.map((file) => {
      lastKey.current += 1;
      return { key: lastKey.current, file, sent: 0 };
    });
    setUploads((all) => [...all, ...added]);
  };
  const cancel = (key: number) => {
    if (running.current?.key === key) running.current.stop.abort();
    else drop(key);
  };
  return { uploads, add, cancel };
}
