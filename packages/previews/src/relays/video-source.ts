/** Source of the video of one device. */
export interface VideoSource {
  /**
   * Opens the source. `sink.ended` is called once when the source ends, but never after a close.
   * @returns a function that closes the source
   */
  open(sink: VideoSink): () => void;
}

export interface VideoSink {
  /**
   * Called with each message of the source. Must not change the bytes, because other viewers may get the same array.
   */
  frame(bytes: Uint8Array): void;
  ended(reason: string): void;
}
