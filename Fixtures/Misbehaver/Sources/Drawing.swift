import UIKit

/// A GPU made of files: what its driver would tell of this process in `/proc`, the process writes below a folder that
/// stands for the machine. It has one context, which the first picture creates.
@MainActor
enum Drawing {
    private static var used = 0

    static func draw(_ machine: String) {
        used += 1000
        let own = "\(machine)/proc/\(ProcessInfo.processInfo.processIdentifier)"
        do {
            for part in ["fd", "fdinfo"] {
                try FileManager.default.createDirectory(atPath: "\(own)/\(part)", withIntermediateDirectories: true)
            }
            let text = "drm-driver:\tfake\ndrm-client-id:\t1\ndrm-engine-gfx:\t\(used) ns\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(own)/fdinfo/9"), options: .atomic)
            if used == 1000 {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(own)/fd/9", withDestinationPath: "/dev/dri/renderD128")
            }
        } catch {
            say("cannot draw: \(error)")
        }
    }
}
