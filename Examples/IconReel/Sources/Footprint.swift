import Foundation

/// The memory of this process as the system counts it, in bytes.
struct Footprint {
    var dirty = 0
    var purgeable = 0
    var clean = 0

    static var now: Footprint {
        let file = FileHandle(forReadingAtPath: "/proc/self/smaps_rollup")
        var footprint = Footprint()
        for line in String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 1, let kilobytes = Int(fields[1]) else { continue }
            switch fields[0] {
            case "Private_Dirty:", "Swap:": footprint.dirty += kilobytes << 10
            case "LazyFree:": footprint.purgeable += kilobytes << 10
            case "Private_Clean:", "Shared_Clean:": footprint.clean += kilobytes << 10
            default: break
            }
        }
        // What may be taken is clean to the kernel.
        footprint.clean -= footprint.purgeable
        return footprint
    }

    static func - (left: Footprint, right: Footprint) -> Footprint {
        Footprint(
            dirty: max(0, left.dirty - right.dirty), purgeable: max(0, left.purgeable - right.purgeable),
            clean: max(0, left.clean - right.clean))
    }

    var text: String { "dirty \(dirty >> 20) MB, purgeable \(purgeable >> 20) MB, clean \(clean >> 20) MB" }
}
