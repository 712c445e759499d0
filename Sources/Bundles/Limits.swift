/// What an untrusted bundle may cost. Real bundles stay far below; hostile ones are refused before they cost more.
enum Limits {
    static let propertyListBytes = 64 * 1024
    static let propertyListDepth = 32
    static let propertyListNodes = 4096

    static let desktopEntryBytes = 512 * 1024
    static let arguments = 256
    static let argumentBytes = 4096

    static let files = 20_000
    static let totalBytes: Int64 = 2 << 30
    static let treeDepth = 32
    static let relativePathBytes = 1024
    static let nameBytes = 255

    static let textBytes = 256
    static let listItems = 64
    static let extensions = 16
    static let remarks = 32
    static let manifestBytes = 64 * 1024

    static let addressSpace: UInt = 256 << 20
    static let processorSeconds: UInt = 2
}
