package import Model

/// The files of an app that runs: its container, and the system's own files for it.
package struct DiskMeasure: Hashable, Codable, Sendable {
    package var incarnation: Incarnation
    package var bytes: Int64
    /// The bytes of files that changed in the last minute.
    package var changed: Int64

    package init(_ incarnation: Incarnation, bytes: Int64, changed: Int64) {
        (self.incarnation, self.bytes, self.changed) = (incarnation, bytes, changed)
    }
}

/// News of the disk that holds the apps' files.
package enum DiskEvent: Payload {
    /// Told when the level changes, every second while room is short, and after caches were emptied.
    case sensed(free: Int64, total: Int64)
    /// Answers `measureDisk`: the apps that run.
    case measured([DiskMeasure])
    /// Answers `emptyCaches`: so many bytes are free again.
    case emptied(AppIndex, freed: Int64)

    package enum Tag: UInt8, CaseIterable, Sendable { case sensed = 93, measured, emptied }

    package var tag: Tag {
        switch self {
        case .sensed: .sensed
        case .measured: .measured
        case .emptied: .emptied
        }
    }

    package init(blank tag: Tag) {
        switch tag {
        case .sensed: self = .sensed(free: 0, total: 0)
        case .measured: self = .measured([])
        case .emptied: self = .emptied(AppIndex(0), freed: 0)
        }
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        switch self {
        case .sensed(var free, var total):
            try coder.code(&free)
            try coder.code(&total)
            self = .sensed(free: free, total: total)
        case .measured(var found):
            let blank = DiskMeasure(Incarnation(AppIndex(0), Generation(0)), bytes: 0, changed: 0)
            try coder.codeCount(&found, blank: blank)
            for i in found.indices {
                try coder.code(&found[i].incarnation)
                try coder.code(&found[i].bytes)
                try coder.code(&found[i].changed)
            }
            self = .measured(found)
        case .emptied(var app, var freed):
            try coder.code(&app)
            try coder.code(&freed)
            self = .emptied(app, freed: freed)
        }
    }
}

extension System {
    func sentence(for event: DiskEvent) -> String {
        switch event {
        case .sensed(let free, let total): "\(free.mebibytes) of \(total.mebibytes) on the disk are free"
        case .measured(let found): "the files of \(found.count) apps that run were measured"
        case .emptied(let app, let freed):
            "Library/Caches and tmp of \(name(of: app)) were emptied: \(freed.mebibytes) are free again"
        }
    }
}
