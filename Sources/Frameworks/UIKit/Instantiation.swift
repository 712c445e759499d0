internal import CUIKit
internal import Foundation

/// Creates an object of a class that is known only by its metatype.
package enum Instantiation {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case notAnNSObject(String)
        case unknownFoundation

        package var description: String {
            switch self {
            case .notAnNSObject(let name):
                "\(name) is not a subclass of NSObject; declare it as class \(name): UIResponder, UIApplicationDelegate"
            case .unknownFoundation:
                "this version of Foundation lays out its classes in a way that Greenroom does not know; "
                    + "build the app with Swift 6.3"
            }
        }
    }

    /// Calls the class's `init()`.
    package static func make(_ type: AnyClass) throws(Failure) -> AnyObject {
        guard type is NSObject.Type else { throw .notAnNSObject(String(describing: type)) }
        let slot = unsafe cuikit_initializer_slot(unsafeBitCast(NSObject.self as AnyClass, to: UnsafeRawPointer.self))
        guard slot > 0 else { throw .unknownFoundation }
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard let object = unsafe cuikit_instantiate(metadata, slot) else { throw .unknownFoundation }
        return unsafe Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue()
    }
}
