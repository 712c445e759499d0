import AppRuntime
import Testing
import UIKit

private final class NotForUIKit {}

extension UIKitTests {
    @Suite("Creation from a class")
    @MainActor
    struct InstantiationTests {
        @Test("A delegate comes with the initial values of its properties")
        func initialValues() throws {
            let delegate = try #require(try Instantiation.make(SampleAppDelegate.self) as? SampleAppDelegate)
            #expect(delegate.drafts == ["first": 1])
            #expect(delegate.window == nil)
            delegate.drafts["second"] = 2
            #expect(delegate.drafts.count == 2)
        }

        @Test("A delegate's own initialiser is called, also without UIResponder")
        func ownInitialiser() throws {
            let delegate = try #require(try Instantiation.make(OldAppDelegate.self) as? OldAppDelegate)
            #expect(delegate.launches == 40)
        }

        @Test("What is created is released with its last reference")
        func released() throws {
            weak var seen: AnyObject?
            do {
                let object = try Instantiation.make(SampleAppDelegate.self)
                seen = object
                #expect(seen != nil)
            }
            #expect(seen == nil)
        }

        @Test("A class that is no NSObject is refused by name")
        func refused() {
            let error = #expect(throws: Instantiation.Failure.self) { try Instantiation.make(NotForUIKit.self) }
            #expect(error?.description.contains("NotForUIKit") == true)
        }
    }
}
