/// Where an MPEG-4 track has its packets, and how much of what they hold is its sound.
struct MPEG4Table {
    /// A file of two days has as many; what says more is not one of sound.
    static let mostPackets = 1 << 23

    private(set) var offsets: [Int] = []
    private(set) var sizes: [UInt32] = []
    /// Units per second, and those of all packets.
    private let scale: Int
    private let units: Int?
    private let edit: Edit?

    struct Edit {
        /// Units of the track before its sound begins.
        let start: Int
        /// How long the sound is, and in how many units per second.
        let length: Int
        let scale: Int
    }

    /// `nil` where the track makes no sense.
    ///
    /// - Parameter length: of the whole file.
    init?(_ track: ByteView, movieScale: Int?, length: Int) {
        guard let header = track.box("mdia", "mdhd"), let table = track.box("mdia", "minf", "stbl") else { return nil }
        guard let scale = header.number(header.number(0, 1) == 1 ? 20 : 12), scale > 0 else { return nil }
        self.scale = scale
        units = Self.units(table)
        edit = track.box("edts", "elst").flatMap { Self.edit($0, movieScale ?? 0) }
        guard readPackets(table, length), !offsets.isEmpty else { return nil }
    }

    private static func units(_ table: ByteView) -> Int? {
        guard let times = table.box("stts"), let entries = times.number(4) else { return nil }
        var sum = 0
        for entry in 0..<min(entries, times.count / 8) {
            guard let count = times.number(8 + entry * 8), let length = times.number(12 + entry * 8) else { break }
            let (product, isTooLong) = count.multipliedReportingOverflow(by: length)
            let (next, isTooMuch) = sum.addingReportingOverflow(product)
            if isTooLong || isTooMuch { return nil }
            sum = next
        }
        return sum > 0 ? sum : nil
    }

    /// Parts that follow each other are taken for one.
    private static func edit(_ list: ByteView, _ movieScale: Int) -> Edit? {
        let isLong = list.number(0, 1) == 1
        let (size, step) = isLong ? (8, 20) : (4, 12)
        var (start, length): (Int?, Int) = (nil, 0)
        for entry in 0..<min(list.number(4) ?? 0, list.count / step) {
            let place = 8 + entry * step
            guard let duration = list.number(place, size), let from = list.signed(place + size, size) else { break }
            // A pause before the sound.
            if from < 0 { continue }
            if start == nil { start = from }
            let (sum, isTooMuch) = length.addingReportingOverflow(duration)
            if isTooMuch { return nil }
            length = sum
        }
        return start.map { Edit(start: $0, length: movieScale > 0 ? length : 0, scale: max(1, movieScale)) }
    }

    private mutating func readPackets(_ table: ByteView, _ length: Int) -> Bool {
        guard let lengths = table.box("stsz"), let same = lengths.number(4), let count = lengths.number(8),
            // A few bytes cannot ask for room for many packets.
            count <= Self.mostPackets, same > 0 ? count <= length / same : lengths.count >= 12 + count * 4,
            let runs = table.box("stsc"), let runCount = runs.number(4)
        else { return false }
        let isLong = table.box("stco") == nil
        guard let chunks = table.box(isLong ? "co64" : "stco"), let chunkCount = chunks.number(4) else { return false }
        let width = isLong ? 8 : 4
        var run = 0
        for chunk in 0..<min(chunkCount, chunks.count / width) where offsets.count < count {
            while run + 1 < runCount, let first = runs.number(8 + (run + 1) * 12), first <= chunk + 1 { run += 1 }
            guard var offset = chunks.number(8 + chunk * width, width), let inChunk = runs.number(12 + run * 12) else {
                break
            }
            for _ in 0..<min(inChunk, count - offsets.count) {
                guard let size = same > 0 ? same : lengths.number(12 + offsets.count * 4) else { return false }
                offsets.append(offset)
                sizes.append(UInt32(clamping: size))
                let (next, isTooFar) = offset.addingReportingOverflow(size)
                if isTooFar { return false }
                offset = next
            }
        }
        return true
    }

    /// In frames of so many per second.
    func extent(_ rate: Int, _ decoded: Int) -> (priming: Int, frames: Int) {
        let all = min(decoded, units.flatMap { Self.scaled($0, rate, scale) } ?? decoded)
        let priming = min(all, edit.flatMap { Self.scaled($0.start, rate, scale) } ?? 0)
        let rest = all - priming
        guard let edit, edit.length > 0, let length = Self.scaled(edit.length, rate, edit.scale) else {
            return (priming, rest)
        }
        // Many files count the length of the edit in milliseconds, which says less than the packets do.
        return (priming, abs(length - rest) <= rate / edit.scale ? rest : min(rest, length))
    }

    private static func scaled(_ units: Int, _ rate: Int, _ scale: Int) -> Int? {
        let (quotient, rest) = units.quotientAndRemainder(dividingBy: scale)
        let (whole, isTooMuch) = quotient.multipliedReportingOverflow(by: rate)
        guard !isTooMuch, whole >= 0, whole < Int.max / 2 else { return nil }
        return whole + Int((Double(rest) * Double(rate) / Double(scale)).rounded())
    }
}
