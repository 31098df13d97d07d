/** Streams of devices by udid. Each method returns null if the device has no such stream. */
export interface SourceStreams {
  frames(udid: string): FrameSource | null;
  lines(udid: string): LineSource | null;
}

/** Source of the preview frames, or of the video, of one device. */
export interface FrameSource {
  /**
   * True if the source takes single pictures at a low rate, so that the screen may have changed since the latest
   * picture. False or undefined if the source streams.
   */
  readonly isSampled?: boolean;
  /**
   * Opens the source. Frames of a preview are JPEG or PNG, those of a video are its messages. Neither the source nor the
   * sink changes their bytes afterwards, because other viewers may get the same array. When the source ends, it calls `sink.ended` once, possibly before `open` returns. After the source has been closed,
   * `sink.ended` is not called.
   * @returns a function that closes the source
   */
  open(sink: FrameSink): () => void;
}

export interface FrameSink {
  frame(bytes: Uint8Array): void;
  ended(reason: string): void;
}

/** Source of the log lines of one device. */
export interface LineSource {
  /**
   * Opens the source. If `withPast` is true, the source first sends the lines that the device logged earlier. When the
   * source ends, it calls `sink.ended` once, but never after the source has been closed.
   * @returns a function that closes the source
   */
  open(sink: LineSink, withPast: boolean): () => void;
}

export interface LineSink {
  line(text: string): void;
  ended(reason: string): void;
}
