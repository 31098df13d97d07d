import type { ChunkHead, CommandLogStore, LogChunk } from '../command-log/entry.ts';

/** Store of a command log in memory, for tests. If `failing` is set, every call throws this error. */
export class MemoryCommandLog implements CommandLogStore {
  rows: LogChunk[] = [];
  failing: Error | null = null;

  write(chunks: readonly LogChunk[], trimmed: readonly { sessionId: string; seq: number }[]): void {
    this.#answer();
    const keys = [...this.rows, ...chunks].map(({ sessionId, seq }) => JSON.stringify([sessionId, seq]));
    if (new Set(keys).size < keys.length) throw new Error('a chunk is there already');
    this.rows.push(...chunks);
    for (const { sessionId, seq } of trimmed) {
      this.rows = this.rows.filter((row) => row.sessionId !== sessionId || row.seq >= seq);
    }
  }

  heads(sessionId: string): ChunkHead[] {
    this.#answer();
    const chunks = this.rows.filter((row) => row.sessionId === sessionId).sort((a, b) => a.seq - b.seq);
    return chunks.map(({ seq, rows, bytes }) => ({ seq, rows, bytes }));
  }

  entriesAt(sessionId: string, seq: number): string | undefined {
    this.#answer();
    return this.rows.find((row) => row.sessionId === sessionId && row.seq === seq)?.entries;
  }

  removeBefore(at: number, most: number): number {
    this.#answer();
    const old = this.rows.filter((row) => row.lastAt < at).sort((a, b) => a.lastAt - b.lastAt);
    const removed = new Set(old.slice(0, most));
    this.rows = this.rows.filter((row) => !removed.has(row));
    return removed.size;
  }

  /** Removes the commands of a session. Called when the record of the session is removed. */
  removeSession(sessionId: string): void {
    this.rows = this.rows.filter((row) => row.sessionId !== sessionId);
  }

  #answer(): void {
    if (this.failing !== null) throw this.failing;
  }
}
