internal import Host

extension FuzzTarget {
    static let png = FuzzTarget("png", "the headers of PNG snapshots", longest: 256) {
        (bytes) throws(BrokenPromise) in try header(bytes, .png)
    }

    static let svg = FuzzTarget("svg", "the root elements of SVG snapshots", longest: 1 << 14) {
        (bytes) throws(BrokenPromise) in try header(bytes, .svg)
    }

    private static func header(_ bytes: [UInt8], _ kind: PictureHeader.Kind) throws(BrokenPromise) -> Verdict {
        guard let header = PictureHeader(bytes, kind) else { return .refused("") }
        let sizes = 1...16_384
        try promise(sizes.contains(header.width) && sizes.contains(header.height), "\(header) has no size")
        return .taken
    }
}
