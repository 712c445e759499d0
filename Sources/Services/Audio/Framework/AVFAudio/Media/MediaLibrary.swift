internal import CMedia

/// FFmpeg's libraries, as far as the machine has them.
package enum MediaLibrary {
    /// Loads them, once.
    package static var isThere: Bool { gr_media_load() }

    static func missing(_ what: String) -> SoundFileError {
        let package = unsafe String(cString: gr_media_package())
        return SoundFileError(
            .unsupported, "\(what) needs a library that this machine lacks: install Debian's package \(package)")
    }
}
